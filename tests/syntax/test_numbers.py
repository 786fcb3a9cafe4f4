"""Numbers that only Python reads as such are none in any format."""

from __future__ import annotations

import pytest

from aune.errors import InputError
from tests.tasks.formats import read

PLACES = [
    ("speech", "stm", "f1 A bob {} 4.25 a b\n"),
    ("speech", "stm", "f1 A bob 0 {} a b\n"),
    ("speech", "ctm", "f1 A {} 0.5 a\n"),
    ("speech", "ctm", "f1 A 0 {} a\n"),
    ("tagging", "conllu", "{}\ta\ta\tX\tX\t_\t0\tr\t_\t_\n"),
]


@pytest.mark.parametrize(("task", "form", "line"), PLACES)
@pytest.mark.parametrize("text", ["1_0", "١", "１", "nan", "infinity", "1e999"])
def test_only_plain_numbers_are_read(task: str, form: str, line: str, text: str) -> None:
    read(task, form, line.format(1))
    with pytest.raises(InputError, match="found"):
        read(task, form, line.format(text))


def test_times_and_durations_below_zero_are_read_as_sclite_does() -> None:
    assert read("speech", "ctm", "f1 A -1 0.5 a\n")
    assert read("speech", "ctm", "f1 A 0 -0.5 a\n")
