"""ACE value, by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from aune.core.errors import InputError
from aune.core.registry import measure
from aune.tasks.entities.model import Mention, Referent

ACE = measure("entities.ace_value")
SMITH = Referent("PER", "Individual", "SPC", (Mention(0, 2), Mention(5, 6, "PRO")))
DARPA = Referent("ORG", "Government", "SPC", (Mention(8, 9),))


def test_perfect_and_empty() -> None:
    assert ACE([SMITH, DARPA], [DARPA, SMITH]).ledr == 1.0
    found = ACE([SMITH, DARPA], [])
    assert found.ledr == 0.0 and found.counts == {"edt": 0, "key_edt": 2.1}
    assert ACE([], [SMITH]).ledr is None


@pytest.mark.parametrize(
    ("response", "value"),
    [
        (SMITH, 1.1),
        (SMITH._replace(type="ORG"), 1.1 * 0.5),  # eq. 1.2: a wrong type
        (SMITH._replace(subtype="Group"), 1.1 * 0.9),
        (SMITH._replace(type="ORG", subtype="Group"), 1.1 * 0.5 * 0.9),
        (SMITH._replace(kind="GEN"), 0.0),  # the smaller worth: GEN is worth nothing
        (SMITH._replace(mentions=SMITH.mentions[:1]), 1.0),  # a mention missed
        (SMITH._replace(mentions=(Mention(0, 2, "NOM"),)), 0.5 * 0.9),  # the smaller worth, and the type is wrong
        (SMITH._replace(mentions=(Mention(0, 2, role="ORG"),)), 0.9),
        (SMITH._replace(mentions=(Mention(0, 2, style="METONYMIC"),)), 0.9),
        (SMITH._replace(mentions=(Mention(0, 2), Mention(20, 21))), 1 - 0.75),  # a mention too many
        (SMITH._replace(mentions=(Mention(20, 21),)), -0.75),  # a false alarm
    ],
)
def test_value_of_one_entity(response: Referent, value: float) -> None:
    assert ACE([SMITH], [response]).counts["edt"] == pytest.approx(value)


def test_each_key_entity_is_used_once() -> None:
    split = [SMITH._replace(mentions=SMITH.mentions[:1]), SMITH._replace(mentions=SMITH.mentions[1:])]
    assert ACE([SMITH], split).counts["edt"] == pytest.approx(1.0 - 0.75 * 0.1)  # the name counts, the pronoun is false


def test_weights_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "ace.toml"
    file.write_text("false_alarm = 0.5\n[types]\nORG = 0.2\n", encoding="utf-8")
    assert ACE([SMITH, DARPA], [SMITH], ace_weights=str(file)).ledr == pytest.approx(1.1 / 1.3)
    assert ACE([SMITH], [SMITH, DARPA], ace_weights=str(file)).counts["edt"] == pytest.approx(1.1 - 0.5 * 0.2)
    file.write_text("false_alarm = 'much'\n", encoding="utf-8")
    other = tmp_path / "other.toml"
    other.write_text("[types\n", encoding="utf-8")
    with pytest.raises(InputError, match="expected a TOML file of ACE weights"):
        ACE([SMITH], [SMITH], ace_weights=str(other))


def test_rows_by_type() -> None:
    values = ACE([SMITH, DARPA], [SMITH]).by("label")
    assert values == {"ORG": {"ledr": 0.0}, "PER": {"ledr": 1.0}}
