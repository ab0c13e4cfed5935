"""Which word of the notes a misspelled term means."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

from total_recall import suggest, words
from total_recall.matching import Term
from total_recall.vault.node import Node


def respelled(
    terms: Sequence[Term], found: Iterable[int], nodes: Iterable[Node]
) -> tuple[Term, ...]:
    """Give the terms, each that no note holds as the nearest word that one does.

    `found` are the numbers of the terms that stand somewhere. Of equally near words the one in
    most notes is meant. A term that nothing is near to stays, and `typed` keeps what was typed.
    """
    held = frozenset(found)
    doubtful = [number for number in range(len(terms)) if number not in held]
    doubtful = [number for number in doubtful if _slips(terms[number])]
    if not doubtful:
        return tuple(terms)
    known = _vocabulary([terms[number] for number in doubtful], nodes)
    meant = list(terms)
    for number in doubtful:
        if word := _nearest(terms[number].word, known):
            stem = words.stem(word)
            meant[number] = replace(terms[number], word=word, stem=stem, typed=terms[number].word)
    distinct: dict[str, Term] = {}
    for term in meant:
        distinct.setdefault(term.stem, term)
    return tuple(distinct.values())


def _slips(term: Term) -> int:
    # A number one digit off is another number, and a run of Chinese is no one word.
    plain = term.word.isalpha() and not term.parts and not words.is_unspaced(term.word)
    return suggest.slips_allowed(term.word) if plain else 0


def _vocabulary(terms: Sequence[Term], nodes: Iterable[Node]) -> Counter[str]:
    """Count in how many notes each word stands that is about as long as a term."""
    shortest = min(len(term.word) - _slips(term) for term in terms)
    longest = max(len(term.word) + _slips(term) for term in terms)
    about = re.compile(rf"(?<![^\W_])[^\W\d_]{{{shortest},{longest}}}(?![^\W_])")
    return Counter(word for node in nodes for word in set(about.findall(words.fold(node.text))))


def _nearest(word: str, known: Counter[str]) -> str:
    slips = suggest.slips_allowed(word)
    scored = [(suggest.edits(word, each, slips), -many, each) for each, many in known.items()]
    cost, _, nearest = min(scored, default=(slips + 1, 0, ""))
    return nearest if cost <= slips else ""
