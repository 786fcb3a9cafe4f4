"""A process that tries damaged files and bad lines under a limit of memory and time, and tells what became of them.

    python tests/fuzz/worker.py SEED 30 "format coref.conll" 30 "file typology" 8 "command score"…

Each is a line of JSON: how many were tried, how many refused, the slowest, the memory at its end, and what failed.
"""

from __future__ import annotations

import json
import resource
import signal
import sys
import time
import traceback
from base64 import b64encode
from collections.abc import Callable, Iterator
from typing import Any

if __package__:
    from tests.fuzz import addresses, auxiliary, calls, commands, disasters, mutants, texts, walks
else:  # run as a script, this folder comes first
    import addresses
    import auxiliary
    import calls
    import commands
    import disasters
    import mutants
    import texts
    import walks

MEMORY = 2_000_000_000  # bytes of data; address space alone costs nothing, and figures reserve much of it
SECONDS, PATIENCE = 10, 600  # of processor time, and by the clock: a busy machine is no fault of ours
TRIALS: dict[str, Callable[[int, int, str], Iterator[tuple[bytes, Callable[[], bool]]]]] = {
    "format": mutants.trials, "file": auxiliary.trials, "command": commands.trials,
    "address": addresses.trials, "call": calls.trials, "walk": walks.trials,
    "disaster": disasters.trials, "text": texts.trials,
}  # fmt: skip


def _late(*_: Any) -> None:
    raise TimeoutError(f"more than {SECONDS} seconds of work, or {PATIENCE} of waiting")


def try_subject(seed: int, count: int, subject: str) -> dict[str, Any]:
    kind, _, name = subject.partition(" ")
    number, refused, slowest, failures = 0, 0, 0.0, []
    for data, attempt in TRIALS[kind](seed, count, name):
        begun = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        signal.setitimer(signal.ITIMER_REAL, PATIENCE)
        try:
            refused += attempt()
        except Exception:  # whatever it is, it is a finding
            failures.append({"data": b64encode(data).decode(), "trace": traceback.format_exc(limit=-4)})
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)
        number += 1
        slowest = max(slowest, time.process_time() - begun)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "subject": subject, "tried": number, "refused": refused, "slowest": slowest, "peak": peak, "failures": failures,
    }  # fmt: skip


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    signal.signal(signal.SIGPROF, _late)
    signal.signal(signal.SIGALRM, _late)
    for count, subject in zip(sys.argv[2::2], sys.argv[3::2], strict=True):
        print(json.dumps(try_subject(int(sys.argv[1]), int(count), subject)), flush=True)
