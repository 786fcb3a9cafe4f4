"""Folders in which an annotation file has a text beside it."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import pytest

import aune

TABLE = "O\tLoc\nParis\tB-LOC\n\nin\tO\n"  # a clinical text that looks like a table


def write_folder(folder: Path) -> str:
    folder.mkdir()
    for name, text in {"a": "Ann saw her sister .", "b": TABLE}.items():
        (folder / f"{name}.txt").write_text(text)
        words = [(match.start(), match.end(), match[0]) for match in re.finditer(r"\w+", text)][:2]
        mentions = "".join(f"T{n}\tPerson {start} {end}\t{word}\n" for n, (start, end, word) in enumerate(words, 1))
        (folder / f"{name}.ann").write_text(f"{mentions}*\tEquiv T1 T2\n")
    return str(folder)


@pytest.mark.parametrize("input_format", [None, "brat"])
@pytest.mark.parametrize("task", ["coref", "entities"])
def test_texts_of_brat_are_no_files_of_their_own(tmp_path: Path, task: str, input_format: str | None) -> None:
    folder = write_folder(tmp_path / "key")
    options = {} if input_format is None else {"key_format": input_format, "response_format": input_format}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = aune.score(task, folder, folder, **options)
    assert result.scores[0].main == 1
    assert [record.documents for record in result.inputs] == [2, 2]


def test_a_text_of_litbank_is_no_file_of_its_own(data: Path) -> None:
    folder = data / "exports" / "brat"
    if not folder.is_dir():
        pytest.skip(f"{folder} is absent: the exports are in ../shared/data")
    result = aune.score("coref", str(folder), str(folder))
    assert not any("105_persuasion_brat.txt" in warning for warning in result.warnings)
