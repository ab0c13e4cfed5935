"""What can go wrong in a way the caller can fix."""


class RecallError(Exception):
    """A problem with its next step: shown as one line on stderr, exit code 1.

    `message` names the file, place or value; `hint` says what to do about it.
    `fixed` marks a message whose wording a skill promises: it then stands alone on stdout.
    """

    code = "problem"

    def __init__(self, message: str, *, hint: str = "", fixed: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.fixed = fixed


class NotFoundError(RecallError):
    """Something that was named, or that must be there, is not there."""

    code = "not_found"


class UnreadableError(RecallError):
    """A file is there but cannot be used as what it should be."""

    code = "unreadable"


class OutsideError(RecallError):
    """A path leads out of the folder it must stay in."""

    code = "outside"


class RefusedError(RecallError):
    """Going on would harm something that is not ours."""

    code = "refused"


class BusyError(RecallError):
    """Another process holds what we need, for longer than it is worth waiting."""

    code = "busy"
