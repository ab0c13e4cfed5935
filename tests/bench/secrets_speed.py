"""How fast credentials are masked, next to one regular expression with all patterns.

Run: python tests/bench/secrets_speed.py [megabytes]
"""

import random
import re
import statistics
import sys
import time
from collections.abc import Callable

from total_recall.secrets import PATTERNS, mask

ROUNDS = 5
PROSE = (
    "the index is derived from transcripts and can be rebuilt at any time because every turn of "
    "a session keeps its source while nothing ever leaves this machine we decided that a branch "
    "lives for two days and rejected a shared database for all agents of one team risk task "
)
# One word in sixty sets a search off; in 584 public decision records it is one in 150.
WORDS = (PROSE * 5 + "secret token key password").split()
LINES = (
    "# {0} {1} {2}\n\n",
    "- **{0}**: {1} `{2}_{3}({4})`, see [{5}](docs/adr/{6}-{7}-{8}.md)\n",
    "| {0} | {1} {2} | {3} | 2025-06-02 |\n|---|---|---|---|\n",
    "fixed in 3f9a1c07e5d24b68a0c1f7e29d85b3460a7c91ef, https://example.org/{0}/{1}?q={2}\n",
)


def markdown(size: int) -> str:
    """Write prose with headings, lists, tables, links and hashes."""
    choose = random.Random(0).choices
    parts: list[str] = []
    while size > 0:
        for line in LINES:
            parts += line.format(*choose(WORDS, k=9)), " ".join(choose(WORDS, k=60)), ".\n\n"
            size -= sum(map(len, parts[-3:]))
    return "".join(parts)


def megabytes_per_second(work: Callable[[], object], size: int) -> float:
    """Give the speed of one round."""
    start = time.perf_counter()
    work()
    return size / (time.perf_counter() - start) / 1e6


def main() -> None:
    """Print both speeds and their ratio, medians of rounds that take turns."""
    text = markdown(int(float(sys.argv[1]) * 1e6) if len(sys.argv) > 1 else 4_000_000)
    data = text.encode()
    whole = re.compile(b"|".join(b"(?:%s)" % p.regex.pattern for p in PATTERNS), re.VERBOSE)
    ours, plain = [], []
    for _ in range(ROUNDS):
        ours.append(megabytes_per_second(lambda: mask(text), len(data)))
        plain.append(megabytes_per_second(lambda: whole.sub(b"[masked]", data), len(data)))
    ratio = statistics.median(a / b for a, b in zip(ours, plain, strict=True))
    sys.stdout.write(
        f"{len(data) / 1e6:.1f} MB of Markdown, {mask(text).count} masked\n"
        f"mask()          {statistics.median(ours):6.1f} MB/s\n"
        f"one alternation {statistics.median(plain):6.1f} MB/s\n"
        f"ratio           {ratio:6.1f}\n"
    )


if __name__ == "__main__":
    main()
