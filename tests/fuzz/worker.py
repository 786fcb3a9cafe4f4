"""A process that tries damaged files under a limit of memory and time, and tells what became of them.

    python tests/fuzz/worker.py SEED COUNT task.format task.format…

Each format is a line of JSON: how many files, how many refused, the slowest, the memory at its end, and what failed.
"""

from __future__ import annotations

import json
import resource
import signal
import sys
import time
import traceback
from base64 import b64encode
from itertools import chain
from typing import Any

if __package__:
    from tests.fuzz.mutants import fate, long_inputs, mutants
else:  # run as a script, this folder comes first
    from mutants import fate, long_inputs, mutants

MEMORY = 2_000_000_000  # bytes of address space: numpy alone maps half of it
SECONDS = 10


def _late(*_: Any) -> None:
    raise TimeoutError(f"more than {SECONDS} seconds")


def tried(seed: int, count: int, name: str) -> dict[str, Any]:
    task, _, form = name.partition(".")
    refused, slowest, failures = 0, 0.0, []
    for mutant in chain(mutants(seed, count, task, form), long_inputs(seed, count // 10, task, form)):
        begun = time.process_time()
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
        try:
            refused += fate(mutant) == "refused"
        except Exception:  # whatever it is, it is a finding
            failures.append({"data": b64encode(mutant.data).decode(), "trace": traceback.format_exc(limit=-4)})
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        slowest = max(slowest, time.process_time() - begun)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "format": name,
        "files": count + count // 10,
        "refused": refused,
        "slowest": slowest,
        "peak": peak,
        "failures": failures,
    }


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGALRM, _late)
    for name in sys.argv[3:]:
        print(json.dumps(tried(int(sys.argv[1]), int(sys.argv[2]), name)), flush=True)
