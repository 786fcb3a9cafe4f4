"""A corpus of malformed files, each with exactly the messages it gives (`NAME.expected` beside `NAME`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from aune import registry
from aune.corpus import Source
from aune.errors import InputError

CASES = [path for path in sorted((Path(__file__).parent / "malformed").iterdir()) if path.suffix != ".expected"]


def messages(path: Path) -> str:
    source = Source(path.name, path.read_bytes(), path)
    form = registry.format("entities", path.name.partition("-")[0])
    try:
        list(form.read(source))
        source.finish()
    except InputError as error:
        return f"{error}\n"
    return "nothing wrong\n"


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.name)
def test_messages(path: Path) -> None:
    assert messages(path) == path.with_name(f"{path.name}.expected").read_text(encoding="utf-8")


def test_every_format_has_cases() -> None:
    assert {path.name.partition("-")[0] for path in CASES} == {form.name for form in registry.formats("entities")}
