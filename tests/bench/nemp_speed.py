"""Print what a recall costs as a whole process, beside a bare click program on the same store.

    python tests/bench/nemp_speed.py [--data DIR] [--memories N]

The bare program reads the store, parses it as JSON and prints the entry of a key. DIR holds
`nemp/sera_memories_4a88915.json`, a public store; the large one has that many memories (3 MB for
2,000), made of the same sentences by a fixed seed. Each figure is a median of several runs in
turn, cold: a new process each time, with its modules compiled. The ratio is what to compare over
machines. What the counters cost is told in milliseconds, for most of it is the disk's.
"""

import argparse
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
RUNS = 15
RECALL = "from total_recall.memory.cli import main; main()"
BARE = """
import json
from pathlib import Path

import click


@click.command()
@click.argument("key")
def main(key):
    click.echo(json.loads(Path(".nemp/memories.json").read_bytes())[key])


main()
"""


def seconds(command: list[str], folder: Path, environment: dict[str, str]) -> float:
    """Run a command and give its wall time."""
    start = time.perf_counter()
    subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def made(real: dict[str, Any], count: int) -> dict[str, Any]:
    """Give a store of that many memories of 1,500 bytes, of the sentences of a real one."""
    drawn = random.Random(1)
    sentences = [
        each for entry in real.values() for each in re.split(r"(?<=[.:;])\s+", entry["value"])
    ]
    store: dict[str, Any] = {}
    for number in range(count):
        like = drawn.choice(list(real.values()))
        words = re.findall(r"[a-z]{3,}", " ".join(drawn.sample(sentences, 3)).lower())
        key = "-".join([*words[:3], str(number)])
        value = " ".join(drawn.sample(sentences, 8))[:600]
        store[key] = {**like, "key": key, "value": value}
    return store


def main() -> None:
    """Print a line a store and query: medians in milliseconds, and the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--memories", type=int, default=2000)
    wishes = parser.parse_args()
    text = (wishes.data / "nemp" / "sera_memories_4a88915.json").read_text("utf-8")
    large = json.dumps(made(json.loads(text), wishes.memories), indent=2)
    with tempfile.TemporaryDirectory() as temporary:
        environment = {
            **{name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ},
            "HOME": temporary,
            "PYTHONPYCACHEPREFIX": f"{temporary}/compiled",
        }
        head = f"{'store':14} {'query':22} {'bare':>6} {'recall':>7} {'ratio':>6}"
        print(f"{head} {'counted':>8} {'more':>5}")
        for name, stored in (("real", text), ("large", large)):
            folder = Path(temporary) / name
            (folder / ".nemp").mkdir(parents=True)
            (folder / ".nemp" / "memories.json").write_text(stored, "utf-8")
            key = list(json.loads(stored))[-1]
            size = f"{name} {len(stored) / 1e6:.2f} MB"
            for query in (key, "session folder rules"):
                python = [sys.executable, "-c"]
                commands = (
                    [*python, BARE, key],
                    [*python, RECALL, query, "--no-track"],
                    [*python, RECALL, query],
                )
                for command in commands:
                    seconds(command, folder, environment)
                rounds = [
                    [seconds(command, folder, environment) for command in commands]
                    for _ in range(RUNS)
                ]
                bare, own, counted = (
                    1000 * statistics.median(each) for each in zip(*rounds, strict=True)
                )
                print(
                    f"{size:14} {query[:22]:22} {bare:6.1f} {own:7.1f} {own / bare:6.2f}"
                    f" {counted:8.1f} {counted - own:5.1f}"
                )


if __name__ == "__main__":
    main()
