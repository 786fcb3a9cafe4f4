"""`make fuzz`: damaged files for as long as you like; what fails is kept as a regression sample.

python tests/fuzz SECONDS [SEED]
"""

from __future__ import annotations

import sys
import time
from base64 import b64decode
from hashlib import sha256
from pathlib import Path

if __package__:
    from tests.fuzz.pool import results
else:  # run as a script, this folder comes first
    from pool import results

FOUND = Path(__file__).with_name("found")
COUNT = 200


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
    return int(any(failures for *_, failures in totals.values()))


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time())))
