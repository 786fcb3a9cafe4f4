"""The files whose memory `make fuzz` measures: of every format, and well-formed."""

from __future__ import annotations

from pathlib import Path

import pytest

from aune.cli import run
from aune.contract import registry
from tests.fuzz.multiples import SMALL, Shape, file_name, shapes, write_shape

CASES = [(form, shape) for form, several in shapes().items() for shape in several]


def test_every_format_has_a_usual_file_and_a_dense_one() -> None:
    known = {f"{task}.{form.name}" for task in registry.task_names() for form in registry.formats(task)}
    assert shapes().keys() == known and all(len(several) > 1 for several in shapes().values())


@pytest.mark.parametrize(("form", "shape"), CASES, ids=[form for form, _ in CASES])
def test_such_a_file_is_well_formed(form: str, shape: Shape, tmp_path: Path) -> None:
    path = tmp_path / file_name(form)
    assert write_shape(shape, path, SMALL) >= SMALL
    task, _, name = form.partition(".")
    assert run(["validate", task, str(path), "--input-format", name]) == 0
