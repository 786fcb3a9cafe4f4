"""`make fuzz`: damaged files, bad lines and other examples of every law for as long as you like; what fails of a format
is kept as a regression sample.

python tests/fuzz SECONDS [SEED]
"""

from __future__ import annotations

import os
import sys
import time
from base64 import b64decode
from collections import Counter
from hashlib import sha256
from itertools import chain
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple
from unittest.mock import patch

from pytest import skip

from aune.contract import registry

if __package__:
    from tests.fuzz.addresses import DATABASE
    from tests.fuzz.hostile import CASES, PEAK, grow_sizes, try_case
    from tests.fuzz.multiples import DENSEST, USUAL, multiples
    from tests.fuzz.other_examples import Asked, run_laws
    from tests.fuzz.pool import ADDRESSES, CALLS, COMMANDS, DISASTERS, FILES, FORMATS, TEXTS, WALKS, results
    from tests.server.serving import postgresql
else:  # run as a script, this folder comes first
    sys.path.append(str(Path(__file__).parents[1] / "server"))
    from addresses import DATABASE
    from hostile import CASES, PEAK, grow_sizes, try_case
    from multiples import DENSEST, USUAL, multiples
    from other_examples import Asked, run_laws
    from pool import ADDRESSES, CALLS, COMMANDS, DISASTERS, FILES, FORMATS, TEXTS, WALKS, results
    from serving import postgresql

FOUND = Path(__file__).with_name("found")
ROUND = {
    "format": (FORMATS, 200), "file": (FILES, 100), "command": (COMMANDS, 40), "address": (ADDRESSES, 20),
    "walk": (WALKS, 160), "call": (CALLS, 200), "disaster": (DISASTERS, 300), "text": (TEXTS, 20),
}  # fmt: skip
"""What is tried in a round, and how often each."""
SLOW = 10  # seconds of processor time that nothing may need


class Total(NamedTuple):
    """What became of all trials of one subject."""

    tried: int = 0
    refused: int = 0
    slowest: float = 0.0
    peak: float = 0.0
    failures: int = 0

    def plus(self, result: dict[str, Any]) -> Total:
        return Total(
            self.tried + result["tried"], self.refused + result["refused"], max(self.slowest, result["slowest"]),
            max(self.peak, result["peak"]), self.failures + len(result["failures"]),
        )  # fmt: skip


def keep(subject: str, failure: dict[str, str]) -> None:
    """Show what failed, and keep a damaged file of a format as a sample."""
    kind, _, name = subject.partition(" ")
    data = b64decode(failure["data"])
    if kind == "format":
        FOUND.mkdir(exist_ok=True)
        (FOUND / f"{name}-{sha256(data).hexdigest()[:8]}").write_bytes(data)
    print(f"{subject}: {data[:300]!r}\n{failure['trace']}", file=sys.stderr)


def summary(totals: dict[str, Total]) -> str:
    """All kinds together, and the writers that what could be read went through."""
    sums = {kind: _sum([item for name, item in totals.items() if name.startswith(f"{kind} ")]) for kind in ROUND}
    writers = {task: sum(form.write is not None for form in registry.formats(task)) for task in registry.task_names()}
    read = Counter[str]()
    for name, total in totals.items():
        if name.startswith("format "):
            read[name.removeprefix("format ").partition(".")[0]] += total.tried - total.refused
    written = sum(count * writers[task] for task, count in read.items())
    formats, files, commands, addresses, walks, calls, disasters, texts = (sums[kind] for kind in ROUND)
    return (
        f"{formats.tried:,} mutants through {len(FORMATS)} readers ({formats.tried // len(FORMATS):,} each), "
        f"{written:,} attempts by {sum(writers.values())} writers ({written // sum(writers.values()):,} each); "
        f"{files.tried:,} mutants of {len(FILES)} kinds of files beside them; {commands.tried:,} bad values and paths "
        f"in {len(COMMANDS)} commands; {addresses.tried:,} requests to {len(ADDRESSES)} addresses; "
        f"{walks.tried:,} steps through campaigns and the workbench; {calls.tried:,} calls from Python; "
        f"{disasters.tried:,} processes killed or on a full disk; "
        f"{texts.tried:,} lines over hostile text; "
        f"slowest {max(item.slowest for item in sums.values()):.2f} s, "
        f"{sum(item.failures for item in sums.values())} failures"
    )


def _sum(totals: list[Total]) -> Total:
    return Total(
        sum(total.tried for total in totals),
        sum(total.refused for total in totals),
        max(total.slowest for total in totals),
        max(total.peak for total in totals),
        sum(total.failures for total in totals),
    )


def hostile() -> int:
    """How many of the hostile inputs needed more than they may, or ended otherwise than they must."""
    print(f"{'hostile input':62}{'exit':>5}{'seconds':>9}{'peak MB':>9}")
    wrong, peak, slowest = 0, 0.0, 0.0
    for case in CASES:
        outcome = try_case(case)
        print(f"{case.line:62}{outcome.code:5}{outcome.seconds:9.2f}{outcome.peak:9.0f}")
        wrong += outcome.code not in case.codes or outcome.peak > PEAK or outcome.seconds > SLOW
        peak, slowest = max(peak, outcome.peak), max(slowest, outcome.seconds)
    print(f"{len(CASES)} hostile inputs: peak {peak:.0f} MB (at most {PEAK}), slowest {slowest:.2f} s (at most {SLOW})")
    return wrong


def scaling() -> int:
    """How many lines take far longer for a text of twice the size, or more memory than they may."""
    print(f"{'twice as much':62}{'exit':>5}{'seconds':>9}{'twice':>9}{'peak MB':>9}")
    wrong = 0
    for item in grow_sizes():
        print(
            f"{item.line:62}{item.twice.code:5}{item.once.seconds:9.2f}{item.twice.seconds:9.2f}{item.twice.peak:9.0f}"
        )
        wrong += item.is_wrong
    return wrong


def memory() -> int:
    """How many readers take more memory for each byte than SECURITY.md promises."""
    print(f"{'memory for each byte that is read':62}{'usual':>9}{'densest':>9}")
    result = [*multiples()]
    for item in result:
        print(f"{item.format:62}{item.usual:9.0f}{item.densest:9.0f}{'  wrong' if item.is_wrong else ''}")
    usual, densest = [entry.usual for entry in result if entry.has_text], [entry.densest for entry in result]
    print(
        f"{len(result)} readers: {median(usual):.0f} bytes of memory for a byte of a usual file in the middle, "
        f"{max(usual):.0f} at most (promised {USUAL}), {max(densest):.0f} for the densest (promised {DENSEST})"
    )
    return sum(entry.is_wrong for entry in result)


def on_postgresql(seed: int) -> list[dict[str, Any]]:
    """The requests and the walks once more, with the database that is stricter; nothing where it cannot be had."""
    result = []
    try:
        with postgresql() as fresh:
            for kind in ("address", "walk"):
                with patch.dict(os.environ, {DATABASE: fresh()}):
                    result += results(seed + 1, dict.fromkeys(*ROUND[kind]), processes=1)
    except skip.Exception:
        pass
    return result


def main(seconds: float, seed: int) -> int:
    totals: dict[str, Total] = {}
    laws = Asked()
    end = time.monotonic() + seconds
    while True:
        rounds = [results(seed, dict.fromkeys(subjects, count)) for subjects, count in ROUND.values()]
        for result in [*chain.from_iterable(rounds), *on_postgresql(seed)]:
            totals[result["subject"]] = totals.get(result["subject"], Total()).plus(result)
            for failure in result["failures"]:
                keep(result["subject"], failure)
        laws = laws.plus(run_laws(seed))
        seed += 1
        if time.monotonic() >= end:
            break
    print(f"{'what':34}{'tried':>9}{'refused':>9}{'slowest s':>11}{'peak MB':>9}{'failures':>9}")
    for name, item in sorted(totals.items()):
        print(f"{name:34}{item.tried:9}{item.refused:9}{item.slowest:11.2f}{item.peak:9.0f}{item.failures:9}")
    wrong = hostile() + scaling() + memory()
    print(summary(totals))
    print(f"{laws.laws} laws asked about {laws.examples:,} other examples, {laws.failures} failures")
    return int(wrong > 0 or laws.failures > 0 or any(total.failures for total in totals.values()))


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time())))
