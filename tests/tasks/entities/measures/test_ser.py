"""SER: the worked examples of the thesis, its table 4.2, weights, and what must hold."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aune
from aune.contract.registry import measure
from aune.errors import UsageError
from aune.tasks.entities.measures.ser import cost_of
from aune.typologies.typology import SER_WEIGHTS

SER = measure("entities.ser")
Triple = tuple[int, int, str]
spans = runpy.run_path(str(Path(__file__).parent.parent / "strategies.py"))["spans"]

# Figure 4.6: "président … ancien ministre".
PRESIDENT = [(0, 1, "func.ind"), (0, 1, "kind")]
FORMER_MINISTER = [(3, 5, "func.ind"), (3, 4, "qualifier"), (4, 5, "kind")]
# Figures 4.4 and 4.5: "ambassadeur de la Turquie en France".
FUNCTION = [(0, 6, "func.ind"), (0, 1, "kind"), (3, 4, "name"), (5, 6, "name")]
COUNTRIES = [(3, 4, "loc.adm.nat"), (5, 6, "loc.adm.nat")]


def ser(key: list[Triple], response: list[Triple], **options: object) -> float:
    return SER(key, response, typology="quaero", **options).ser


def test_figure_4_6() -> None:
    key = PRESIDENT + FORMER_MINISTER
    assert ser(key, PRESIDENT) == pytest.approx(0.6)
    assert ser(key, FORMER_MINISTER) == pytest.approx(0.4)


def test_figure_4_4() -> None:
    score = SER(FUNCTION + COUNTRIES, FUNCTION, typology="quaero")
    assert score.ser == pytest.approx(2 / 6)
    assert (score.counts["correct"], score.counts["omission"]) == (4, 2)


@pytest.mark.parametrize(
    ("start", "end", "label", "kind"),
    [
        (1, 4, "org.adm", "type"),
        (1, 2, "loc.fac", "boundary"),
        (1, 4, "loc.adm.town", "subtype"),
        (3, 4, "pers.ind", "type_boundary"),
        (3, 4, "loc.oro", "subtype_boundary"),
        (1, 4, "loc.fac", "correct"),
    ],
)
def test_kinds_of_substitution(start: int, end: int, label: str, kind: str) -> None:
    """The examples of §4.3: La <loc.fac> gare de Rungis </loc.fac>."""
    score = SER([(1, 4, "loc.fac")], [(start, end, label)])
    assert score.counts[kind] == 1
    assert score.ser == (0.0 if kind == "correct" else 0.5)
    assert sum(score.details["substitutions"].values()) == (kind != "correct")


TABLE_4_2 = [  # system, slots, D, I, S, SER as printed; N as in table 4.3
    ("REN-4", "types", 1925, 155, 541, "39.5"), ("REN-4", "components", 2304, 310, 587, "33.7"),
    ("REN-4", "all", 4229, 465, 1128, "36.4"), ("REN-5", "types", 1476, 543, 888, "41.0"),
    ("REN-5", "components", 2092, 525, 589, "33.7"), ("REN-5", "all", 3568, 1068, 1477, "37.3"),
    ("REN-8", "types", 1511, 290, 818, "37"), ("REN-8", "components", 4295, 266, 2908, "69.7"),
    ("REN-8", "all", 5806, 556, 3726, "56.4"),
]  # fmt: skip
SLOTS = {"types": 5954, "components": 8627, "all": 14581}
NOT_FOLLOWING = {("REN-4", "all"): "36.1", ("REN-5", "types"): "41.4", ("REN-5", "all"): "36.9"}
"""The three cells whose printed rate does not follow from the counts beside it, with what does."""


@pytest.mark.parametrize(("system", "slots", "omission", "insertion", "substitution", "printed"), TABLE_4_2)
def test_table_4_2(system: str, slots: str, omission: int, insertion: int, substitution: int, printed: str) -> None:
    numbers = {"omission": omission, "insertion": insertion, "type": substitution}
    digits = len(printed.partition(".")[2])
    rate = f"{100 * cost_of(numbers, SER_WEIGHTS) / SLOTS[slots]:.{digits}f}"
    assert rate == NOT_FOLLOWING.get((system, slots), printed)
    assert ((system, slots) in NOT_FOLLOWING) == (rate != printed)


def test_types_and_components_apart() -> None:
    key, response = FUNCTION + COUNTRIES, FUNCTION
    assert ser(key, response, slots="types") == pytest.approx(2 / 3)
    assert ser(key, response, slots="components") == 0.0


def test_weights_by_option_and_by_typology(tmp_path: Path) -> None:
    key, response = [(0, 2, "a"), (4, 5, "a")], [(0, 3, "a"), (4, 5, "b"), (8, 9, "c")]
    assert SER(key, response).ser == (0.5 + 0.5 + 1) / 2
    assert SER(key, response, ser_weights="type=1,boundary=0.25,insertion=0").ser == (1 + 0.25) / 2
    file = tmp_path / "mine.toml"
    file.write_text("[types]\na = []\nb = []\nc = []\n[weights.ser]\nboundary = 0.1\n", encoding="utf-8")
    assert SER(key, response, typology=str(file)).ser == pytest.approx((0.1 + 0.5 + 1) / 2)
    with pytest.raises(UsageError, match="unknown weight 'typ': did you mean 'type'"):
        SER(key, response, ser_weights="typ=1")


@pytest.mark.parametrize(
    ("weights", "sides"),
    [
        ("", 0.5),
        ("type=0.5,boundary=0.25", 0.75),
        ("type=0.5,boundary=0.5", 1.0),
        ("type=3,boundary=2", 2.0),
        ("type=3,boundary=2,omission=2,insertion=2", 4.0),
        ("boundary=0.25", 0.5),
        ("boundary=0.8", 0.8),
        ("type=1", 1.0),
        ("type=1,boundary=1,type_boundary=0.1", 0.1),
    ],
)
def test_wrong_in_both_costs_both(weights: str, sides: float) -> None:
    """Eq. 4.4 has a weight for type and one for boundary: given both, a slot wrong in both costs their sum, capped."""
    score = SER([(0, 3, "pers.ind")], [(1, 3, "org.adm")], ser_weights=weights)
    assert score.ser == pytest.approx(sides)


GIVEN = st.fixed_dictionaries({}, optional={
    name: st.sampled_from([0.0, 0.25, 0.5, 1.0, 2.0]) for name in ("type", "boundary", "omission", "insertion")
})  # fmt: skip


@given(GIVEN)
def test_what_a_slot_wrong_in_both_costs(weights: dict[str, float]) -> None:
    """Eq. 4.4, said once more: the sum of what was given, at most a miss and a false alarm, never less than one."""
    text = ",".join(f"{name}={value}" for name, value in weights.items())
    kind, place = weights.get("type", 0.5), weights.get("boundary", 0.5)
    apart = weights.get("omission", 1.0) + weights.get("insertion", 1.0)
    given_both = "type" in weights and "boundary" in weights
    expected = min(kind + place, apart) if given_both else max(0.5, kind, place)
    assert ser([(0, 2, "loc")], [(1, 3, "pers")], ser_weights=text) == pytest.approx(min(expected, apart))


def test_a_pair_that_costs_as_much_as_missing_and_inserting_is_a_pair() -> None:
    score = SER([(0, 2, "a")], [(0, 2, "b")], ser_weights="type=2")
    assert score.counts["type"] == 1 and score.ser == 2.0
    score = SER([(0, 2, "a")], [(0, 2, "b")], ser_weights="type=2.5")
    assert score.counts["type"] == 0 and score.ser == 2.0


def test_exact_pairs_give_way_when_that_is_cheaper() -> None:
    """Two substitutions cost less than an omission and an insertion beside a correct pair."""
    score = SER([(0, 2, "a"), (1, 4, "a")], [(0, 2, "a"), (0, 1, "a")])
    assert score.ser == pytest.approx(0.5)
    assert score.counts["boundary"] == 2


def test_confusions_add_up_to_the_counts() -> None:
    key, response = FUNCTION + COUNTRIES, [*FUNCTION[1:], (0, 5, "pers.ind"), (8, 9, "name")]
    score = SER(key, response)
    cells = score.details["confusion"]
    assert sum(cell["count"] for cell in cells if cell["key"]) == score.counts["key"]
    assert {"key": "", "response": "name", "count": 1} in cells
    assert {"key": "func.ind", "response": "pers.ind", "count": 1} in cells
    json.dumps(score.details)


def test_labels_add_up_to_the_total() -> None:
    score = SER(FUNCTION + COUNTRIES, [*FUNCTION[1:], (0, 5, "pers.ind"), (8, 9, "name")])
    by_label = score.counts_by("label")
    for column, total in score.counts.items():
        assert sum(counts[column] for counts in by_label.values()) == pytest.approx(total)
    assert by_label["pers.ind"]["insertion"] == 0 and by_label["func.ind"]["type_boundary"] == 1


@given(spans(), spans(), spans(3))
def test_properties(key: list[Triple], response: list[Triple], extra: list[Triple]) -> None:
    result = SER(key, response).ser
    if not key:
        assert result is None
        return
    assert result >= 0
    assert (result == 0) == (sorted(key) == sorted(response))
    beyond = [(start + 100, end + 100, label) for start, end, label in extra]
    assert SER(key, response + beyond).ser >= result


def test_hipe_counts(data: Path) -> None:
    """Counts by kind of an independent implementation of the same pairing; it makes wrong label and boundary cost 1."""
    folder = data / "entities" / "hipe2022-ajmc-fr"
    expected = json.loads((folder / "own_ser.json").read_text(encoding="utf-8"))
    expected.pop("gold")
    for system, columns in expected.items():
        for column, wanted in columns.items():
            options = {"columns": column, "measures": ["ser"]}
            pair = aune.score("entities", str(folder / "gold.tsv"), str(folder / f"{system}.tsv"), **options)["ser"]
            counts = pair.counts
            found = {
                "D": counts["omission"], "I": counts["insertion"], "C": counts["correct"], "N": counts["key"],
                "S_type": counts["type"] + counts["subtype"], "S_bound": counts["boundary"],
                "S_both": counts["type_boundary"] + counts["subtype_boundary"],
            }  # fmt: skip
            assert found == {name: wanted[name] for name in found}
            assert round((counts["cost"] + found["S_both"] / 2) / counts["key"], 6) == wanted["SER"]
            options["ser_weights"] = "type=0.5,boundary=0.5"
            summed = aune.score("entities", str(folder / "gold.tsv"), str(folder / f"{system}.tsv"), **options)["ser"]
            assert round(summed.ser, 6) == wanted["SER"], "their sum is what eq. 4.4 says, and what the other does"
