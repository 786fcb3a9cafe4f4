"""The typologies that come with aune, and files of one's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from aune.errors import InputError, UsageError
from aune.typologies.typology import SHIPPED_TYPOLOGIES, typology


@pytest.mark.parametrize("name", SHIPPED_TYPOLOGIES)
def test_shipped(name: str) -> None:
    assert typology(name).name == name


def test_quaero_is_tables_3_1_and_3_3() -> None:
    quaero = typology("quaero")
    assert {label.split(".")[0] for label in quaero.labels} == {"pers", "func", "org", "loc", "prod", "time", "amount"}
    spelled_otherwise = {"loc.add.phys"}
    assert len(quaero.labels - spelled_otherwise - {"amount"}) == 30, "table 3.1; the text says thirty-two"
    assert {"loc.adm.sup", "loc.phys.astro", "prod.doctr", "time.hour.rel"} <= quaero.labels
    transverse = [name for name, homes in quaero.components.items() if not homes]
    assert sorted(transverse) == sorted(
        [
            "name",
            "name.nickname",
            "kind",
            "extractor",
            "demonym",
            "demonym.nickname",
            "qualifier",
            "val",
            "unit",
            "range-mark",
        ]
    )
    assert quaero.allows("award-cat", "prod.award") and not quaero.allows("award-cat", "time.date.abs")
    assert len(typology("ontonotes").labels) == 18 and len(typology("conll2003").labels) == 4


def test_unknown_and_broken(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown typology 'quaro': did you mean 'quaero'"):
        typology("quaro")
    with pytest.raises(InputError, match="no readable typology"):
        typology(str(tmp_path / "none.toml"))
    file = tmp_path / "broken.toml"
    file.write_text("[types", encoding="utf-8")
    with pytest.raises(InputError, match="expected TOML: mend the file"):
        typology(str(file))
    other = tmp_path / "other.toml"
    other.write_text("[typs]\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"unknown section of the typology .*: did you mean 'types'"):
        typology(str(other))
