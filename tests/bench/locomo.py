"""Print how much of a question's evidence in LoCoMo a search brings, beside plain full-text search.

    python -m tests.bench.locomo [--data DIR] [--halves] [--every N] [--process]

DIR holds `locomo/locomo-dev.json`: long talks between two people, and questions with the turns
that answer them. Each talk becomes a project with a file a session, which the real command
imports; a turn is written as "Speaker: text [caption]", and one of the two is the user. Then each
question is searched for as it stands. The commands run in this process; with `--process` each is
a process of its own, which takes about ten times as long.

Turns are the first 20 that `--all` gives, sessions the first 5 of the default view. `R@k` is
the mean share of a question's evidence among the first k, `any@10` the share of the questions
with some of it there, `MRR` the mean of one by the place of the first. Evidence is counted by
turns, or by the sessions that they are of. The others see the very same texts: FTS5 as it comes
with any or all of the words, and a grep for any word of four letters or more in the order of the
files; their sessions are those of their turns. `no role` is without the weight of a user's turns,
as the two people here are no user and agent. Every other question is in the second half.
"""

import argparse
import json
import re
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from click.testing import CliRunner
from tests.bench.commands import COCORECALL, environment, make_project

from total_recall.sessions import rank
from total_recall.sessions.cli import main as cocorecall

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
MOST, MOST_SESSIONS = 20, 5  # of an answer; no figure looks further
SOURCE = ".snowflake/cortex/conversations"  # below home, as it would be
TURN_ID = re.compile(r"D\d+:\d+")
PRINTED = re.compile(r"^\d+ session_id: \S+ · turn_id: \S+?:(D\d+:\d+) ", re.MULTILINE)
CITED = re.compile(r"^  source_exists: true · .*\n  suggested_follow_up: \S", re.MULTILINE)
WORD = re.compile(r"\w+")
CATEGORIES = {
    1: "several turns",
    2: "when",
    3: "inference",
    4: "one turn",
    5: "unanswerable",
}
Run = Callable[..., str]


@dataclass(frozen=True)
class Question:
    """A question, and the ids of the turns that answer it."""

    text: str
    category: str
    half: int
    evidence: frozenset[str]


@dataclass(frozen=True)
class Found:
    """What a search gives for a question, best first: ids of turns, and of sessions."""

    turns: Sequence[str]
    sessions: Sequence[str]


@dataclass(frozen=True)
class Talk:
    """The turns of a talk in order, by their ids, and the questions about it."""

    texts: Mapping[str, str]
    questions: Sequence[Question]
    files: Mapping[str, Mapping[str, Any]]


def talks(path: Path, every: int) -> Iterator[Talk]:
    """Give the talks of the data set; questions without evidence are left out."""
    number = 0
    for held in json.loads(path.read_text("utf-8")):
        said = held["conversation"]
        texts: dict[str, str] = {}
        files = {}
        for key, turns in said.items():
            if not isinstance(turns, list):
                continue
            session = str(uuid5(NAMESPACE_URL, f"{held['sample_id']} {key}"))
            rows = []
            for turn in turns:
                caption = f" [{turn['blip_caption']}]" if turn.get("blip_caption") else ""
                text = f"{turn['speaker']}: {turn['text']}{caption}"
                role = "user" if turn["speaker"] == said["speaker_a"] else "assistant"
                rows.append({"id": turn["dia_id"], "role": role, "text": text})
                texts[turn["dia_id"]] = text
            at = datetime.strptime(said[f"{key}_date_time"], "%I:%M %p on %d %B, %Y")  # noqa: DTZ007
            files[session] = {
                "session_id": session,
                "start_time": f"{at.isoformat()}Z",
                "turns": rows,
            }
        questions = []
        for each in held["qa"][::every]:
            evidence = frozenset(TURN_ID.findall(" ".join(each.get("evidence") or [])))
            if evidence:
                number += 1
                category = CATEGORIES[each["category"]]
                questions.append(Question(each["question"], category, number % 2, evidence))
        yield Talk(texts, questions, files)


def session_of(turn: str) -> str:
    """Give the session that a turn is of.

    >>> session_of("D12:3")
    'D12'
    """
    return turn.partition(":")[0]


def sessions_of(turns: Iterable[str]) -> list[str]:
    """Give the sessions of turns, each once, in the order of their first."""
    return list(dict.fromkeys(map(session_of, turns)))


# The command


@contextmanager
def project(talk: Talk, *, process: bool) -> Iterator[Run]:
    """Make a project of a talk, import it, and give what runs a command there."""
    with tempfile.TemporaryDirectory() as temporary:
        home = Path(temporary).resolve()
        folder = home / "work"
        make_project(folder, f"~/{SOURCE}")
        (home / SOURCE).mkdir(parents=True)
        for session, held in talk.files.items():
            (home / SOURCE / f"{session}.json").write_text(json.dumps(held), "utf-8")
        variables = environment(home)

        def in_process(command: str, *words: str) -> str:
            answer = CliRunner().invoke(
                cocorecall, [command, "--root", str(folder), *words], env={"HOME": str(home)}
            )
            if answer.exit_code:
                raise SystemExit(f"cocorecall {command}: {answer.output}") from answer.exception
            return answer.stdout

        def as_process(command: str, *words: str) -> str:
            ran = subprocess.run(
                [COCORECALL, command, *words],
                cwd=folder,
                env=variables,
                capture_output=True,
                text=True,
                check=True,
            )
            return ran.stdout

        run = as_process if process else in_process
        run("import")
        yield run


def asked(run: Run, question: Question) -> Found:
    """Give what the command finds: every turn, and the best turn of each session."""
    views = []
    for flags in (["--all", "--limit", str(MOST)], ["--limit", str(MOST_SESSIONS)]):
        answer = run("search", "--budget", "0", "--json", *flags, "--", question.text)
        hits = json.loads(answer)["hits"]
        views.append([hit["turn_id"].partition(":")[2] for hit in hits])
    return Found(views[0], sessions_of(views[1]))


# The others


def full_text(talk: Talk, joint: str) -> Callable[[str], list[str]]:
    """Give a search by FTS5 as it comes, of a question's words joined by OR or AND."""
    db = sqlite3.connect(":memory:")
    db.execute("CREATE VIRTUAL TABLE turns USING fts5 (id UNINDEXED, text)")
    db.executemany("INSERT INTO turns VALUES (?, ?)", talk.texts.items())

    def search(question: str) -> list[str]:
        match = joint.join(f'"{word}"' for word in WORD.findall(question))
        rows = db.execute(
            "SELECT id FROM turns WHERE turns MATCH ? ORDER BY rank LIMIT ?", (match, MOST)
        )
        return [turn for (turn,) in rows]

    return search


def grep(talk: Talk) -> Callable[[str], list[str]]:
    """Give a search for the turns that hold any longer word of a question, in their order."""
    lines = {turn: text.lower() for turn, text in talk.texts.items()}

    def search(question: str) -> list[str]:
        words = [word.lower() for word in WORD.findall(question) if len(word) > 3]
        found = (turn for turn, text in lines.items() if any(word in text for word in words))
        return [turn for turn, _ in zip(found, range(MOST), strict=False)]

    return search


# The table


def share(found: Sequence[str], wanted: frozenset[str]) -> float:
    """Give the share of what is wanted that was found."""
    return len(wanted & set(found)) / len(wanted)


def measures(found: Found, question: Question) -> tuple[float, ...]:
    """Give the figures of one question, as they stand in the table."""
    turns, wanted = found.turns, question.evidence
    sessions = frozenset(map(session_of, wanted))
    first = next((1 / place for place, turn in enumerate(turns, 1) if turn in wanted), 0.0)
    return (
        share(turns[:1], wanted),
        share(turns[:5], wanted),
        share(turns[:10], wanted),
        float(bool(wanted & set(turns[:10]))),
        first,
        share(found.sessions[:1], sessions),
        share(found.sessions[:5], sessions),
    )


def printed(answer: str, question: Question) -> tuple[float, ...]:
    """Give the figures of a default answer: sessions with citations, and the evidence in it."""
    turns = PRINTED.findall(answer)
    sessions = sessions_of(turns)
    cited = len(CITED.findall(answer))
    if cited != len(turns):
        raise SystemExit(f"{len(turns)} hits, {cited} with a citation:\n{answer}")
    wanted = frozenset(map(session_of, question.evidence))
    return (float(len(sessions)), share(sessions, wanted), share(turns, question.evidence))


def groups(questions: Sequence[Question], *, halves: bool) -> Iterator[tuple[str, list[int]]]:
    """Give the rows of a table: their names, and the places of the questions in each."""
    every = range(len(questions))
    parts = {"": (0, 1), ", first half": (1,), ", second half": (0,)}
    for name in ("all", *CATEGORIES.values()):
        for suffix, wanted in parts.items():
            if suffix and not halves and name != "all":
                continue
            places = [
                at
                for at in every
                if questions[at].half in wanted and name in ("all", questions[at].category)
            ]
            if places:
                yield name + suffix, places


def main() -> None:
    """Print a table a method, and what default answers hold."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--halves", action="store_true", help="both halves of each category too")
    parser.add_argument("--every", type=int, default=1, help="ask every N-th question only")
    parser.add_argument("--process", action="store_true", help="each command in its own process")
    wishes = parser.parse_args()
    held = list(talks(wishes.data / "locomo" / "locomo-dev.json", wishes.every))
    questions = [each for talk in held for each in talk.questions]
    figures: dict[str, list[tuple[float, ...]]] = {}
    answers: list[tuple[float, ...]] = []
    with ProcessPoolExecutor() as workers:
        for own, own_answers in workers.map(partial(measured, process=wishes.process), held):
            answers += own_answers
            for name, rows in own.items():
                figures.setdefault(name, []).extend(rows)
    show(questions, figures, answers, halves=wishes.halves)


def measured(
    talk: Talk, *, process: bool
) -> tuple[dict[str, list[tuple[float, ...]]], list[tuple[float, ...]]]:
    """Give the figures of each question of a talk: by each method, and of its default answer."""
    figures: dict[str, list[tuple[float, ...]]] = {}
    answers = []
    others = {
        "FTS5, any word": full_text(talk, " OR "),
        "FTS5, all words": full_text(talk, " AND "),
        "grep, any word": grep(talk),
    }
    with project(talk, process=process) as run:
        for each in talk.questions:
            found = {"cocorecall": asked(run, each)}
            answers.append(printed(run("search", "--", each.text), each))
            if not process:
                with without_role_weight():
                    found["cocorecall, no role"] = asked(run, each)
            for name, search in others.items():
                turns = search(each.text)
                found[name] = Found(turns, sessions_of(turns))
            for name, one in found.items():
                figures.setdefault(name, []).append(measures(one, each))
    return figures, answers


@contextmanager
def without_role_weight() -> Iterator[None]:
    """Rank a user's turns like the others."""
    weight, rank.USER_WEIGHT = rank.USER_WEIGHT, 1.0
    try:
        yield
    finally:
        rank.USER_WEIGHT = weight


def show(
    questions: Sequence[Question],
    figures: Mapping[str, Sequence[tuple[float, ...]]],
    answers: Sequence[tuple[float, ...]],
    *,
    halves: bool,
) -> None:
    """Print the tables."""
    rows = list(groups(questions, halves=halves))
    print(
        f"{'%':26} {'n':>4} {'R@1':>6} {'R@5':>6} {'R@10':>6} {'any@10':>6} {'MRR':>6}"
        f"  {'session R@1':>11} {'R@5':>6}"
    )
    for name, found in figures.items():
        print(name)
        for group, places in rows:
            shares = [100 * mean(each) for each in zip(*(found[at] for at in places), strict=True)]
            turn = " ".join(f"{one:6.1f}" for one in shares[:5])
            print(f"  {group:24} {len(places):4} {turn}  {shares[5]:11.1f} {shares[6]:6.1f}")
    print("\ndefault answers: sessions with citations, % of evidence in sessions, in turns printed")
    for group, places in rows:
        many, *shares = (mean(each) for each in zip(*(answers[at] for at in places), strict=True))
        said = " ".join(f"{100 * one:6.1f}" for one in shares)
        least = min(answers[at][0] for at in places)
        print(f"  {group:24} {len(places):4} {many:6.2f} (least {least:.0f}) {said}")


if __name__ == "__main__":
    main()
