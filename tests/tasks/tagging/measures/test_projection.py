"""Absolute and relative side by side."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from aune import score


def test_a_coarse_tagset_is_silent_only_in_the_absolute_evaluation(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text('n = ["Nc", "Np"]\nv = "V"\nunused = "D"\n')
    key = [("a", "Nc"), ("b", "Np"), ("c", "V"), ("d", "Nc")]
    result = score(
        "tagging", key, [("a", "n"), ("b", "n"), ("c", "v"), ("d", "v|n")], table=str(path), measures=["projection"]
    )
    projection = result["projection"]
    assert (projection.precision, projection.decision) == (1.0, 0.25)
    assert (projection.relative_precision, projection.relative_decision) == (1.0, 0.75)
    assert projection.table_silences == 0.5, "d is ambiguous in the response itself"
    assert projection.details == {
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
    result = score("tagging", key, response, table=str(path), tagset="grace", unlisted="keep", measures=["projection"])
    assert result["projection"].relative_precision == result["projection"].precision == 1.0
    assert result["projection"].counts["relative.ok"] == 2


def test_without_a_table_both_are_the_same() -> None:
    key, response = [("a", "Nc"), ("b", "V")], [("a", "Nc|V"), ("b", "V")]
    projection = score("tagging", key, response, measures=["projection"])["projection"]
    assert (
        (projection.precision, projection.decision)
        == (projection.relative_precision, projection.relative_decision)
        == (1.0, 0.5)
    )


PIVOT = ["Nc", "Np", "V", "D"]
TABLES = st.fixed_dictionaries(
    {tag: st.lists(st.sampled_from(PIVOT), min_size=1, max_size=3, unique=True) for tag in ("n", "v", "d")}
)


@given(TABLES, st.lists(st.tuples(st.sampled_from(PIVOT), st.lists(st.sampled_from("nvd"), min_size=1, max_size=2,
       unique=True)), min_size=1, max_size=6))  # fmt: skip
def test_both_evaluations_word_by_word(table: dict[str, list[str]], rows: list[tuple[str, list[str]]]) -> None:
    """Absolute: the response's tags through the table. Relative: the key's tag through the table read backwards."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "table.toml")
        path.write_text("".join(f"{tag} = {pivots}\n" for tag, pivots in table.items()).replace("'", '"'))
        key = [(f"w{number}", tag) for number, (tag, _) in enumerate(rows)]
        response = [(f"w{number}", "|".join(tags)) for number, (_, tags) in enumerate(rows)]
        projection = score("tagging", key, response, table=str(path), measures=["projection"])["projection"]
    projected = [(tag, tags, {pivot for item in tags for pivot in table[item]}) for tag, tags in rows]
    decided = [(tag, pivots) for tag, _, pivots in projected if len(pivots) == 1]
    assert projection.decision == len(decided) / len(rows)
    assert projection.precision == (sum(tag in pivots for tag, pivots in decided) / len(decided) if decided else None)
    assert projection.table_silences == sum(len(tags) == 1 and len(pivots) > 1 for _, tags, pivots in projected) / len(
        rows
    )
    backwards = {pivot: {tag for tag, pivots in table.items() if pivot in pivots} for pivot in PIVOT}
    evaluated = [(backwards[tag], tags) for tag, tags in rows if backwards[tag]]  # the others cannot be expressed: said
    strict = [tags[0] in accepted for accepted, tags in evaluated if len(tags) == 1]
    assert projection.relative_decision == (len(strict) / len(evaluated) if evaluated else None)
    assert projection.relative_precision == (sum(strict) / len(strict) if strict else None)
