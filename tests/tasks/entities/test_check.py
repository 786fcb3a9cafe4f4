"""The rules that organisers need, with line and column."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aune.contract import registry
from aune.reading.corpus import read
from aune.tasks.entities.check import check
from aune.tasks.entities.model import Span, make_document

TASK = registry.task("entities")


def messages(*spans: Span, typology: str = "quaero", severity: str = "error") -> list[str]:
    problems = check([make_document("d", spans, length=20, typology=typology)])
    return [problem.message for problem in problems if problem.severity == severity]


def test_clean() -> None:
    assert messages(Span(0, 3, "func.ind"), Span(0, 1, "kind"), Span(2, 3, "loc.adm.town"), Span(2, 3, "name")) == []
    assert messages(Span(0, 3, "anything"), typology="") == []


def test_each_rule() -> None:
    [crossing] = messages(Span(0, 3, "loc.fac", line=1), Span(2, 5, "org.ent", line=1))
    assert crossing == (
        "found 'org.ent' over tokens 2 to 4, which crosses 'loc.fac' over tokens 0 to 2, "
        "expected spans that nest or stay apart: move a boundary"
    )
    [unknown] = messages(Span(0, 3, "loc.moon", line=1))
    assert unknown == "found the label 'loc.moon', expected one of the typology quaero: mend it"
    [outside] = messages(Span(0, 3, "kind", line=1))
    assert outside == "found the component 'kind' outside of any entity, expected an entity around it: add it"
    [level] = messages(Span(0, 3, "pers.ind", line=1), Span(0, 2, "name", line=1), Span(0, 1, "name.first", line=1))
    assert level == (
        "found the component 'name.first' inside the component 'name', expected it directly inside an entity: "
        "move it one level up"
    )
    [specific] = messages(Span(0, 3, "loc.fac", line=1), Span(0, 1, "name.first", line=1))
    assert (
        specific == "found the component 'name.first' inside 'loc.fac', expected it only inside pers: mend one of them"
    )
    [hollow] = messages(Span(3, 3, "loc.fac", line=1))
    assert hollow == "found an empty 'loc.fac', expected text in it: remove it or give it its text"
    assert len(messages(Span(3, 3, "loc.moon", line=1))) == 2
    [twice] = messages(Span(0, 3, "loc.fac", line=1), Span(0, 3, "loc.fac", line=1))
    assert twice == "found 'loc.fac' a second time over tokens 0 to 2, expected it once: remove one"


def test_the_guide() -> None:
    """What the thesis says of the annotation: at least one constituent, full sub-types, two labels for metonymy."""
    france = [Span(0, 1, "org.adm", line=1), Span(0, 1, "loc.adm.nat", line=1), Span(0, 1, "name", depth=2, line=1)]
    assert messages(*france) == messages(*france, severity="warning") == []
    [third] = messages(*france, Span(0, 1, "prod.media", line=1))
    assert third == (
        "found the labels loc.adm.nat, org.adm, prod.media on one entity, expected at most 2: remove the others"
    )
    [bare] = messages(Span(0, 2, "pers.ind", line=1), severity="warning")
    assert bare == ("found 'pers.ind' over tokens 0 to 1 without a constituent, expected at least one: decompose it")
    nested = [Span(0, 3, "func.ind", line=1), Span(2, 3, "loc.adm.town", line=1), Span(2, 3, "name", line=1)]
    assert messages(*nested, severity="warning") == [], "an entity inside is a constituent"
    for short, full in (("loc.adm", "loc.adm.nat"), ("pers", "pers.coll"), ("time.date", "time.date.abs")):
        [partial] = messages(Span(0, 2, short, line=1))
        assert partial == f"found the label {short!r}, expected it in full, such as {full!r}: add the sub-type"
    assert messages(Span(0, 2, "amount", line=1), Span(0, 2, "val", line=1)) == []
    assert messages(Span(0, 2, "PER"), typology="conll2003", severity="warning") == [], "no components, no rule"


GUIDED = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from(["org.adm", "loc.adm.nat", "pers.coll", "loc", "name"])), unique=True
)


@given(GUIDED)
def test_the_guide_place_by_place(spans: list[tuple[int, str]]) -> None:
    """Words one by one: more than two types, a type without its sub-type, a component alone, an entity without one.

    What is not named in full is told that alone.
    """
    labels = {place: {label for at, label in spans if at == place} for place, _ in spans}
    types = {place: own_label - {"name"} for place, own_label in labels.items()}
    expected = {
        "expected at most 2": sum(len(own_type) > 2 for own_type in types.values()),
        "expected it in full": sum("loc" in own_type for own_type in types.values()),
        "outside of any entity": sum(not own_type for own_type in types.values()),
        "without a constituent": sum(
            "name" not in labels[place] for place, own_type in types.items() if own_type - {"loc"}
        ),
    }
    made = [Span(place, place + 1, label, line=1) for place, label in spans]
    output = [*messages(*made), *messages(*made, severity="warning")]
    assert {text: sum(text in message for message in output) for text in expected} == expected


def test_line_and_column(tmp_path: Path) -> None:
    file = tmp_path / "a.ne"
    file.write_text("La <kind> gare </kind>\nde <loc.moon> <name> Lyon </name> </loc.moon>\n", encoding="utf-8")
    problems = check(read(TASK, str(file)).documents)
    assert [(problem.place.line, problem.place.column) for problem in problems] == [(1, 4), (2, 4)]


@pytest.mark.parametrize(
    ("name", "text", "places"),
    [
        ("a.conll", "Jean B-PER\n\n  à   B-MOON O\n", [(3, 7)]),
        ("a.tsv", "TOKEN\tNE-COARSE-LIT\tMISC\nJean\tB-MOON\t_\n", [(2, 6)]),
        ("a.jsonl", '{"tokens": ["a", "b"], "spans": [[0, 1, "PER"], [1, 2, "MOON"]]}\n', [(1, 49)]),
        ("a.ann", "T1\tPER 0 4\tJean\nT2\tMOON 3 8\tn Paul\n", [(2, 4), (2, 4)]),
    ],
)
def test_the_column_is_that_of_the_label(name: str, text: str, places: list[tuple[int, int]], tmp_path: Path) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    options = {"column": "2"} if name == "a.conll" else {}
    problems = check(read(TASK, str(tmp_path / name), typology="conll2003", **options).documents)
    assert [(problem.place.line, problem.place.column) for problem in problems] == places


def test_a_typology_of_ones_own(tmp_path: Path) -> None:
    own_value = tmp_path / "mine.toml"
    own_value.write_text('name = "mine"\n[types]\nPER = []\n', encoding="utf-8")
    file = tmp_path / "a.conll"
    file.write_text("a\tB-PER\nb\tB-LOC\n", encoding="utf-8")
    problems = check(read(TASK, str(file), typology=str(own_value)).documents)
    assert [str(problem) for problem in problems] == [
        f"{file}:2:3: found the label 'LOC', expected one of the typology mine: mend it"
    ]
