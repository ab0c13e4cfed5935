"""Which of the options that a record weighed it took."""

import re
from collections.abc import Sequence
from string import ascii_lowercase

from total_recall.vault import options
from total_recall.vault.options import LABEL, NOUN, Option

_ALONE = re.compile(rf"#?(?P<label>{LABEL})(?=[\s*_,.;:)\]]*$)", re.IGNORECASE)
_STATEMENT = re.compile(
    r"(?:chosen|selected|preferred) (?:option|alternative|solution)\b(?:[^\w\n\"“]*\n){0,2}"
    r"[^\w\n\"“]*(?:(?:is|was)\b[^\w\n\"“]*)?(?P<said>[^\n]+)",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[\"“]([^\"”\n]+)[\"”]")
_CHOICE = (
    r"(?:choose|chose|chosen|selected|picked|adopted|decided on|decided for|opted for|settled on"
    r"|going with|go with|went with|proceed with|will do)"
)
_NUMBER_CHOSEN = re.compile(
    rf"{NOUN}[ \t]+#?(?P<before>{LABEL})[])*_`]*[ \t]+(?:was|is)[ \t]+"
    r"(?:chosen|selected|taken|preferred)"
    rf"|(?<!not )(?<!not to )(?<!n't ){_CHOICE}[ \t]+(?:the[ \t]+)?[\[(*_`\"]*{NOUN}[ \t]+#?"
    rf"(?P<after>{LABEL})(?!,?[ \t]*(?:,|and|or|&|/|\+)[ \t]*(?:{NOUN}\b|#?\d))",
    re.IGNORECASE,
)
_SEVERAL_CHOSEN = re.compile(r"\b(?:chosen|selected) (?:options|alternatives)\b", re.IGNORECASE)
_CHOICE_WORDS = re.compile(rf" {_CHOICE} (?:(?:the|a|an|to|use|using|with) )*")
_NEGATIONS = frozenset(
    {
        "not", "no", "never", "without", "cannot", "nor", "instead", "rather", "than", "against",
        "avoid", "reject", "rejected", "discarded", "dropped", "dismissed", "ruled",
    }
)  # fmt: skip


def without_chosen(found: Sequence[Option], decision: str) -> list[Option] | None:
    """Give the options that were not chosen; None if the decision does not tell which one was.

    The chosen one is what its own line or the decision calls so, by name or by number, else
    the one option that the decision names without a negation.

    >>> found = options.options("* MADR\\n* Nygard's template\\n* Other")
    >>> left = without_chosen(found, 'Chosen option: "MADR", because it is lean.')
    >>> left and [option.name for option in left]
    ["Nygard's template", 'Other']
    """
    if not found:
        return None
    marked = [option for option in found if option.is_chosen]
    taken = marked if len(marked) == 1 else _taken(found, options.unlinked(decision))
    return [option for option in found if option not in taken] if taken else None


def _taken(found: Sequence[Option], decision: str) -> list[Option]:
    """Give what a decision takes, each once; nothing if one thing that it takes is not found."""
    if _SEVERAL_CHOSEN.search(decision):
        return []
    if statements := list(_STATEMENT.finditer(decision)):
        stated = [_stated(found, statement["said"]) for statement in statements]
        return [] if None in stated else [option for option in found if option in stated]
    numbers = {said["before"] or said["after"] for said in _NUMBER_CHOSEN.finditer(decision)}
    if opening := options.CALLED.match(decision.lstrip("#> ")):
        numbers.add(opening["label"])
    if numbers:
        taken = _labelled(found, numbers.pop())
        return [taken] if taken and not numbers else []
    return _named(found, f" {options.key(decision)} ")


def _stated(found: Sequence[Option], said: str) -> Option | None:
    """Give the option that is called chosen: by its name, its number, or a part of its name."""
    if begun := _begun(found, said):
        return begun
    quoted = _QUOTED.match(said)
    label, name = options.label_and_name(quoted[1] if quoted else said)
    if not label and (alone := _ALONE.match(said)):
        label = alone["label"]
    if begun := _begun(found, name):
        return begun
    if label:
        return _labelled(found, label)
    key = options.key(name)
    within = [option for option in found if _is_part(key, options.key(option.name))]
    return within[0] if len(within) == 1 else None


def _begun(found: Sequence[Option], said: str) -> Option | None:
    """Give the option that a text begins with; of several the longest is meant."""
    key = f"{options.key(said)} "
    begun = [option for option in found if key.startswith(f"{options.key(option.name)} ")]
    return max(begun, key=lambda option: len(option.name), default=None)


def _is_part(one: str, other: str) -> bool:
    """Say whether one key lies within the other, and what is around does not turn it over."""
    shorter, longer = sorted((one, other), key=len)
    around = set(longer.split()) - set(shorter.split())
    return bool(shorter) and f" {shorter} " in f" {longer} " and not around & _NEGATIONS


def _labelled(found: Sequence[Option], label: str) -> Option | None:
    """Give the option that a record numbers so; without numbers its place counts."""
    label = label.casefold()
    if sum(bool(option.label) for option in found) > 1:
        called = [option for option in found if option.label == label]
        return called[0] if len(called) == 1 else None
    at = int(label) - 1 if label.isdigit() else ascii_lowercase.find(label)
    return found[at] if 0 <= at < len(found) else None


def _named(found: Sequence[Option], said: str) -> list[Option]:
    """Give the one option named after a word of choice, else the one named at all."""
    by_length = sorted(found, key=lambda option: -len(option.name))
    chosen: list[Option] = []
    for choice in _CHOICE_WORDS.finditer(said):
        rest = said[choice.end() :]
        begun = [option for option in by_length if rest.startswith(f"{options.key(option.name)} ")]
        if begun and not said[: choice.start()].endswith((" not", " not to", " never")):
            chosen.append(begun[0])
    named = [option for option in found if _is_affirmed(said, f" {options.key(option.name)} ")]
    either = chosen or named
    return either[:1] if len(set(either)) == 1 else []


def _is_affirmed(said: str, key: str) -> bool:
    """Say whether a decision names an option without a negation right before or after it."""
    at = said.find(key)
    if at < 0:
        return False
    around = said[:at].split()[-4:] + said[at + len(key) :].split()[:2]
    return _NEGATIONS.isdisjoint(around)
