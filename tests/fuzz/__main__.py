"""`make fuzz`: damaged files for as long as you like; what fails is kept as a regression sample.

python tests/fuzz SECONDS [SEED]
"""

from __future__ import annotations

import sys
import time
from base64 import b64decode
from collections import Counter
from hashlib import sha256
from pathlib import Path

from aune.core import registry

if __package__:
    from tests.fuzz.pool import results
else:  # run as a script, this folder comes first
    from pool import results

FOUND = Path(__file__).with_name("found")
COUNT = 200


def _summary(totals: dict[str, tuple[int, int, float, float, int]]) -> str:
    """All readers together, and the writers that what could be read went through."""
    writers = {task: sum(form.write is not None for form in registry.formats(task)) for task in registry.task_names()}
    written = Counter[str]()
    for name, (files, refused, *_) in totals.items():
        written[name.partition(".")[0]] += files - refused
    read = sum(files for files, *_ in totals.values())
    tried = sum(count * writers[task] for task, count in written.items())
    slowest, peak = (max(one[place] for one in totals.values()) for place in (2, 3))
    return (
        f"{read:,} mutants through {len(totals)} readers ({read // len(totals):,} each), {tried:,} attempts by "
        f"{sum(writers.values())} writers to write; slowest {slowest:.2f} s, peak {peak:.0f} MB"
    )


def main(seconds: float, seed: int) -> int:
    totals: dict[str, tuple[int, int, float, float, int]] = {}
    end = time.monotonic() + seconds
    while True:
        for one in results(seed, COUNT):
            files, refused, slowest, peak, failures = totals.get(one["format"], (0, 0, 0.0, 0.0, 0))
            totals[one["format"]] = (
                files + one["files"], refused + one["refused"], max(slowest, one["slowest"]), max(peak, one["peak"]),
                failures + len(one["failures"]),
            )  # fmt: skip
            for failure in one["failures"]:
                data = b64decode(failure["data"])
                FOUND.mkdir(exist_ok=True)
                (FOUND / f"{one['format']}-{sha256(data).hexdigest()[:8]}").write_bytes(data)
                print(f"{one['format']}:\n{failure['trace']}", file=sys.stderr)
        seed += 1
        if time.monotonic() >= end:
            break
    print(f"{'format':24}{'files':>9}{'refused':>9}{'slowest s':>11}{'peak MB':>9}{'failures':>9}")
    for name, (files, refused, slowest, peak, failures) in sorted(totals.items()):
        print(f"{name:24}{files:9}{refused:9}{slowest:11.2f}{peak:9.0f}{failures:9}")
    print(_summary(totals))
    return int(any(failures for *_, failures in totals.values()))


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time())))
