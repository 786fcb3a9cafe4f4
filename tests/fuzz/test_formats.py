"""Damaged files of every format, in processes with a limit of memory and time: read, refused, written and spliced.

`make fuzz SECONDS=600` goes on for as long as you like, and keeps what it finds in `found/`, which is tried here again.
"""

from __future__ import annotations

from base64 import b64decode
from pathlib import Path

from aune.core import registry
from tests.fuzz.mutants import Mutant, fate
from tests.fuzz.pool import results

FOUND = sorted(path for path in Path(__file__).with_name("found").glob("*.*-*"))


def test_damaged_files_are_read_or_refused() -> None:
    found = results(seed=1, count=30)
    assert len(found) == sum(len(registry.formats(task)) for task in registry.task_names())
    failures = [
        f"{one['format']} {b64decode(failure['data'])[:200]!r}\n{failure['trace']}"
        for one in found
        for failure in one["failures"]
    ]
    assert not failures, "\n".join(failures)
    assert sum(one["refused"] for one in found) > len(found)


def test_what_was_found_once() -> None:
    for path in FOUND:
        task, _, form = path.name.rpartition("-")[0].partition(".")
        fate(Mutant(task, form, path.read_bytes()))
