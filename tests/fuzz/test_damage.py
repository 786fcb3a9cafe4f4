"""Damaged files, bad lines of every command and requests to every address, with a limit of memory and time.

`make fuzz SECONDS=600` goes on for as long as you like, and keeps what it finds in `found/`, which is tried here again.
"""

from __future__ import annotations

from base64 import b64decode
from pathlib import Path

import pytest

from tests.fuzz.hostile import grow_sizes
from tests.fuzz.mutants import Mutant, fate
from tests.fuzz.pool import ADDRESSES, CALLS, COMMANDS, DISASTERS, FILES, FORMATS, TEXTS, WALKS, results

FOUND = sorted(path for path in Path(__file__).with_name("found").glob("*.*-*"))


@pytest.mark.parametrize(
    "counts",
    [
        dict.fromkeys(FORMATS + FILES, 8), dict.fromkeys(COMMANDS, 3), dict.fromkeys(TEXTS, 1),
        dict.fromkeys(ADDRESSES, 2), dict.fromkeys(WALKS, 20), dict.fromkeys(CALLS, 12), dict.fromkeys(DISASTERS, 16),
    ],
)  # fmt: skip
def test_damage_is_survived_or_refused(counts: dict[str, int]) -> None:
    result = results(seed=1, counts=counts, processes=1)  # the other core has other tests
    assert sorted(item["subject"] for item in result) == sorted(counts), [
        item["failures"] for item in result if item["failures"]
    ]
    failures = [
        f"{item['subject']} {b64decode(failure['data'])[:200]!r}\n{failure['trace']}"
        for item in result
        for failure in item["failures"]
    ]
    assert not failures, "\n".join(failures)
    assert counts.keys() <= {*TEXTS} or sum(item["refused"] for item in result) > len(result)  # text is no damage


def test_what_was_found_once() -> None:
    for path in FOUND:
        task, _, form = path.name.rpartition("-")[0].partition(".")
        fate(Mutant(task, form, path.read_bytes()))


def test_twice_as_much_takes_about_twice_as_long() -> None:
    """The first line of all that `make fuzz` tries."""
    growth = next(grow_sizes(1000))
    assert not growth.is_wrong, growth
