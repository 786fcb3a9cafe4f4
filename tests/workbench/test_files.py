"""Every sample of every format: imported and exported it is the same file, and an edit changes only its markup."""

from __future__ import annotations

from pathlib import Path

import pytest

from aune.core import registry
from aune.core.corpus import Source
from aune.workbench.files import exported, recognise, texts

TASKS = Path(__file__).parents[1] / "tasks"
SAMPLES = [
    (task, path)
    for task in ("coref", "entities")
    for path in sorted((TASKS / task / "formats" / "samples").iterdir())
    if path.suffix != ".txt" or not path.with_suffix(".ann").exists()
]
every_sample = pytest.mark.parametrize(("task", "path"), SAMPLES, ids=lambda value: getattr(value, "name", value))


def source_of(path: Path, data: bytes | None = None) -> Source:
    return Source(str(path), path.read_bytes() if data is None else data, path)


def format_of(path: Path) -> str:
    return path.name.partition("-")[0]


@every_sample
def test_an_unedited_file_is_given_back_byte_by_byte(task: str, path: Path) -> None:
    plain = path.read_bytes()
    for data in (plain, b"\xef\xbb\xbf" + plain, plain.replace(b"\n", b"\r\n")):
        if b"\r\r" in data:
            continue
        states = {text.id: state for text, state in texts(source_of(path, data), task, format_of(path))}
        conversion = exported(source_of(path, data), task, format_of(path), states)
        assert conversion.data == data
        assert not conversion.lost


@every_sample
def test_the_splicer_gives_it_back_too(task: str, path: Path) -> None:
    """Not because the file is handed through: the state goes to documents, and these into the file."""
    from aune.workbench.files import _written, opened_documents

    form = registry.format(task, format_of(path))
    if form.splice is None:
        return
    opened = opened_documents(source_of(path), task, form.name)
    documents = [_written(task, one, one.state, True).document for one in opened]
    assert form.splice(source_of(path), documents) == path.read_bytes()


@every_sample
def test_its_task_and_format_are_recognised(task: str, path: Path) -> None:
    if format_of(path) not in ("inline_text", "mentions_json", "llm_json", "llm_lines"):  # answers of models are named
        assert recognise(source_of(path)) == (task, format_of(path))
    assert recognise(source_of(path), task)[0] == task
