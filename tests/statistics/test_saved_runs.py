"""Systems compared from what was saved of them, without the data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import aune

KEY = {str(n): [{1, 2, 3}, {4, 5}] for n in range(20)}
GOOD = {n: [{1, 2, 3}, {4, 5}] if int(n) % 3 else [{1, 2}, {3, 4, 5}] for n in KEY}
BAD = {n: [{1, 2}, {3, 4, 5}] for n in KEY}


@pytest.fixture
def both_systems() -> aune.Result:
    return aune.evaluate("coref", KEY, {"good": GOOD, "bad": BAD}, measures=["muc", "b_cubed"])


def pairs(result: Any) -> list[Any]:
    return list(result.pairs)


def test_saved_runs_compare_as_the_data_do(both_systems: aune.Result, tmp_path: Path) -> None:
    expected = pairs(aune.compare(both_systems, draws=200))
    assert len(expected) == 6 and expected[0].difference == pytest.approx(1 / 3 * 2 / 3, abs=0.2)
    for name, response in (("good", GOOD), ("bad", BAD)):
        run = aune.evaluate("coref", KEY, {name: response}, measures=["muc", "b_cubed"])
        aune.save(run, tmp_path / f"{name}.json")
    paths = [tmp_path / "good.json", str(tmp_path / "bad.json")]
    assert pairs(aune.compare(paths, draws=200)) == expected
    named = {"good": aune.load(paths[0]), "bad": paths[1]}
    assert pairs(aune.compare(named, draws=200)) == expected
    aune.save(both_systems, tmp_path / "both_systems.json")
    assert pairs(aune.compare(tmp_path / "both_systems.json", draws=200)) == expected


def test_rows_in_a_folder_compare_too(both_systems: aune.Result, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    aune.save(both_systems, tmp_path / "rows")
    assert pairs(aune.compare(tmp_path / "rows", draws=200)) == pairs(aune.compare(both_systems, draws=200))


def test_comparisons_show_themselves(both_systems: aune.Result) -> None:
    comparisons = aune.compare(both_systems, draws=200)
    assert (
        repr(comparisons) == str(comparisons)
        and "p (Holm)" in str(comparisons)
        and "<table>" in comparisons._repr_html_()
    )
    assert '"comparisons"' in comparisons.to("json") and comparisons.to("csv").startswith(
        "measure,value,a,b,difference"
    )


def test_what_cannot_be_compared(both_systems: aune.Result) -> None:
    result = aune.score("coref", KEY, GOOD, measures=["muc"])
    other = aune.score("coref", KEY, BAD, measures=["muc"], undefined="none")
    third = aune.score("coref", KEY, BAD, measures=["lea"])
    with pytest.raises(aune.UsageError, match=r"^two systems are called 'response': give the results by name"):
        aune.compare([result, result])
    with pytest.raises(aune.UsageError, match="expected the same options: score them the same way"):
        aune.compare({"a": result, "b": other})
    with pytest.raises(aune.UsageError, match="no measure in common"):
        aune.compare({"a": result, "b": third})
    with pytest.raises(aune.UsageError, match=r"^found results of coref and of speech"):
        aune.compare({"a": result, "b": aune.score("speech", ["a"], ["a"])})
    with pytest.raises(aune.UsageError, match="at least two systems"):
        aune.compare([])
    with pytest.raises(aune.UsageError, match="at least two systems"):
        aune.compare(result)


def test_runs_of_other_keys_are_refused(tmp_path: Path) -> None:
    for name, text in (("key", "1 2\n3\n"), ("other", "1 2 3\n"), ("a", "1 2\n3\n")):
        (tmp_path / f"{name}.txt").write_text(text)
    runs = {name: aune.score("coref", tmp_path / f"{name}.txt", tmp_path / "a.txt") for name in ("key", "other")}
    with pytest.raises(aune.UsageError, match="the results are of different keys"):
        aune.compare(runs)
