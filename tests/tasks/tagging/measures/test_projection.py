"""Absolute and relative side by side."""

from __future__ import annotations

from pathlib import Path

from aune import score


def test_a_coarse_tagset_is_silent_only_in_the_absolute_evaluation(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text('n = ["Nc", "Np"]\nv = "V"\nunused = "D"\n')
    key = [("a", "Nc"), ("b", "Np"), ("c", "V"), ("d", "Nc")]
    result = score(
        "tagging", key, [("a", "n"), ("b", "n"), ("c", "v"), ("d", "v|n")], table=str(path), measures=["projection"]
    )
    found = result["projection"]
    assert (found.precision, found.decision) == (1.0, 0.25)
    assert (found.relative_precision, found.relative_decision) == (1.0, 0.75)
    assert found.table_silences == 0.5, "d is ambiguous in the response itself"
    assert found.details == {
        "silences_of_the_table": {"n": 2},
        "ambiguous": {"n": 2},
        "without_entry": {},
        "never_used": ["unused"],
        "outside_tagset": [],
    }


def test_short_tags_and_kept_tags_in_the_inverse(tmp_path: Path) -> None:
    path = tmp_path / "table.tsv"
    path.write_text("VPR\tVmpp\n")
    key, response = [("a", "Vmpp---"), ("b", "Cc")], [("a", "VPR"), ("b", "Cc")]
    found = score("tagging", key, response, table=str(path), tagset="grace", unlisted="keep", measures=["projection"])
    assert found["projection"].relative_precision == found["projection"].precision == 1.0
    assert found["projection"].counts["relative.ok"] == 2


def test_without_a_table_both_are_the_same() -> None:
    key, response = [("a", "Nc"), ("b", "V")], [("a", "Nc|V"), ("b", "V")]
    found = score("tagging", key, response, measures=["projection"])["projection"]
    assert (found.precision, found.decision) == (found.relative_precision, found.relative_decision) == (1.0, 0.5)
