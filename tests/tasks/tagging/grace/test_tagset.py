"""Descriptions of tagsets."""

from __future__ import annotations

from pathlib import Path

import pytest

from aune.errors import InputError, UsageError
from aune.tasks.tagging.grace.tagset import tagset

TABLE_2 = ["Ncms", "Npfs", "Vmip1s-", "Vmpp", "Afpms", "Ds1fss-", "Pr-ms", "Da-ms-d", "Rgp", "Sp", "Cc"]


def test_the_tags_of_the_papers_table_2() -> None:
    grace = tagset("grace")
    assert [tag for tag in TABLE_2 if tag not in grace] == []
    assert grace.explain_tag("Vmip1s-") == "verb: main, indicative, present, first, singular"
    assert grace.explain_tag("Da-ms-d") == "determiner: article, masculine, singular, definite"
    assert grace.canonical("Vmpp") == "Vmpp---" and grace.canonical("Pr-ms") == "Pr-ms--"


def test_every_real_tag_is_known(data: Path) -> None:
    grace = tagset("grace")
    folder = data / "tagging" / "grace-like"
    cells = {
        line.split("\t")[1]
        for name in ("gold", "gold_surface")
        for line in (folder / f"{name}.tsv").read_text().split("\n")
        if line
    }
    assert [tag for cell in cells for tag in cell.split("|") if tag not in grace] == []


def test_categories_and_features() -> None:
    grace, upos = tagset("grace"), tagset("upos")
    assert grace.category("Sp+Da-ms-d") == "S+D" and upos.category("NOUN") == "NOUN"
    assert grace.feature("Ncms", "gender") == "m" and grace.feature("Vmn----", "gender") == "-"
    assert grace.feature("Sp", "gender") is None and grace.feature("Sp+Da-ms-d", "gender") is None
    assert "NOUNS" not in upos and "NOUN" in upos and len(upos.tags) == 17
    assert "Ncxs" not in grace and "gender" in grace.features


def test_a_description_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('[categories.N]\nname = "noun"\nnumber = { s = "one", p = "many" }\n')
    assert tagset(str(path)).tags == ("Np", "Ns")
    with pytest.raises(UsageError, match="expected grace, upos"):
        tagset("nowhere")


@pytest.mark.parametrize("text", ["x = 1", "[categories]\n", "[categories]\nN = 3\n", "not toml"])
def test_what_is_wrong_with_a_description(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=r"bad.toml:1:1: found no "):
        tagset(str(path))
