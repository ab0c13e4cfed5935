"""The skills, references and examples that come with the package."""

import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from total_recall import files
from total_recall.errors import NotFoundError
from total_recall.files import Content

MAX_FILE_BYTES = 1 << 20
EXECUTABLE = 0o755

_REFERENCE = re.compile(r"references/([\w-]+\.md)")
_LAUNCHER = """\
#!/bin/sh
# Runs the command by its full path, since an agent's shell may not have it on its PATH.
program={program}
if [ ! -x "$program" ]; then
    echo "{name}: $program is gone; run the install.sh of Total Recall again" >&2
    exit 127
fi
exec "$program" "$@"
"""


def folder(name: str) -> Path:
    """Give a folder of the bundle: the wheel carries them in the package, a clone at its top."""
    package = Path(__file__).resolve().parent.parent
    for place in (package / "bundle", package.parent.parent):
        if (place / name).is_dir():
            return place / name
    raise NotFoundError(f"{name} did not come with this package", hint="install from a clone")


def skill_files(source: str, program: Path) -> dict[str, Content]:
    """Give the files of an installed skill: its own, the references it names, and a launcher.

    `source` is its folder below `skills`; a plugin's holds several skills, each of which gets
    its own. `program` is the command that the launcher runs.
    """
    held = files.contents_of(folder("skills") / source, most=MAX_FILE_BYTES)
    contents = {name: Content(data) for name, data in held.items()}
    launcher = _LAUNCHER.format(program=_single_quoted(str(program)), name=program.name)
    for name, data in held.items():
        if PurePosixPath(name).name == "SKILL.md":
            top = name.removesuffix("SKILL.md")
            for named in sorted(set(_REFERENCE.findall(data.decode()))):
                text = files.read(folder("references") / named, most=MAX_FILE_BYTES)
                contents[f"{top}references/{named}"] = Content(text)
            contents[f"{top}scripts/{program.name}"] = Content(launcher.encode(), EXECUTABLE)
    return contents


def example_files() -> Mapping[str, Content]:
    """Give the files of the demo workspace by relative path."""
    held = files.contents_of(folder("examples"), most=MAX_FILE_BYTES)
    return {name: Content(data) for name, data in held.items()}


def _single_quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
