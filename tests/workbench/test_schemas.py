"""Schemas: files that people can read, what is wrong with them, and what is wrong with an annotation under them."""

from __future__ import annotations

import pytest

from aune.errors import UsageError
from aune.workbench.model import Mention, Relation, State, Text
from aune.workbench.schemas import (
    LABEL_SETS,
    FeatureRule,
    LabelType,
    RelationRule,
    Schema,
    parse_schema,
    ready_made_schema,
    schema_in_use,
    schema_violations,
    violations_of,
    write_schema,
)

CHARACTERS = "Ann planted the old oak"
TEXT = Text(
    id="t", characters=CHARACTERS, task="entities", tokens=[0, 3, 4, 11, 12, 15, 16, 19, 20, 23], sentences=[0]
)  # fmt: skip
SCHEMA = Schema(
    types=(LabelType(name="person", key="P"), LabelType(name="plant"), LabelType(name="age", inside=("plant",))),
    features=(
        FeatureRule(name="alive", kind="closed", values=("yes", "no")),
        FeatureRule(name="years", kind="number", types=("plant",)),
    ),
    relations=(RelationRule(name="planted", sources=("person",), targets=("plant",)),),
    nesting="nested",
)


def mention(words: str, label: str, **features: str) -> Mention:
    start = CHARACTERS.index(words)
    return Mention(parts=((start, start + len(words)),), label=label, features=features)


GOOD = State(
    {
        "a": mention("Ann", "person", alive="no"),
        "o": mention("the old oak", "plant", years="120.5"),
        "g": mention("old", "age"),
    },
    {},
    {"r": Relation(kind="planted", source="a", targets=("o",))},
)


@pytest.mark.parametrize(
    ("task", "name"), [*((task, name) for task, names in LABEL_SETS.items() for name in names), ("anaphora", "")]
)
def test_ready_made_schemas_are_files_that_can_be_read(task: str, name: str) -> None:
    schema = ready_made_schema(task, name)
    assert schema.types and schema.is_closed
    assert parse_schema(write_schema(schema)) == schema


def test_components_stand_in_the_types_of_the_typology() -> None:
    types = {item.name: item.inside for item in ready_made_schema("entities", "quaero").types}
    assert (
        types["pers.ind"] is None
        and types["kind"] == ()
        and set(types["name.first"] or ()) == {"pers.coll", "pers.ind"}
    )


def test_what_is_good_breaks_no_rule() -> None:
    assert schema_violations(TEXT, GOOD, SCHEMA) == []


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"a": mention("Ann", "persn")}, "found the type 'persn', which the schema does not have: perhaps 'person'"),
        ({"a": mention("Ann", "person", alive="maybe")}, "found alive 'maybe', expected one of yes, no"),
        ({"a": mention("Ann", "person", years="9")}, "found the feature 'years', which 'person' does not have"),
        ({"o": mention("the old oak", "plant", years="old")}, "found years 'old', expected a number"),
        ({"a": mention("Ann", "plant")}, "found 'plant' in the relation 'planted', expected person"),
        ({"g": mention("Ann", "age")}, "'age' stands alone, expected it inside plant"),
        ({"x": mention("Ann planted the", "person")}, "crosses 'Ann planted the'"),
    ],
)
def test_every_rule(changed: dict[str, Mention], message: str) -> None:
    state = State({**GOOD.mentions, **changed}, {}, GOOD.relations)
    assert [violation for violation in violations_of(TEXT, state, SCHEMA) if message in violation.message]


def test_relations_that_the_schema_does_not_have() -> None:
    other = State(GOOD.mentions, {}, {"r": Relation(kind="owns", source="a", targets=("o",))})
    assert "found the relation 'owns'" in schema_violations(TEXT, other, SCHEMA)[0].message


def test_an_open_schema_takes_other_types() -> None:
    state = State({"a": mention("Ann", "anything")})
    assert schema_violations(TEXT, state, Schema(types=SCHEMA.types, is_closed=False)) == []


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"types": [{"name": "a"}, {"name": "a"}]}', "found the type 'a' twice"),
        (b'{"types": [{"name": "a", "key": "j"}]}', "found the key 'j', expected one that does nothing else"),
        (b'{"types": [{"name": "a", "key": "P"}, {"name": "b", "key": "P"}]}', "which another type has too"),
        (b'{"types": [{"name": "a", "colour": "red"}]}', "expected one such as #cc6600"),
        (b'{"types": [{"name": "a", "inside": ["b"]}]}', "found the type 'b', which the schema does not have"),
        (b'{"features": [{"name": "a", "kind": "closed"}]}', "found 0 values of a feature that is closed"),
        (b'{"relations": [{"name": " "}]}', "found the relation ' '"),
        (b'{"colours": []}', "cannot be read"),
        (b"no JSON", "cannot be read"),
    ],
)
def test_what_is_wrong_with_a_schema(data: bytes, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_schema(data)
    assert message in str(refused.value)


def test_a_schema_of_what_is_in_use() -> None:
    schema = schema_in_use(
        [GOOD, State({"p": mention("Ann", "plant", alive="yes"), "q": mention("oak", "plant", alive="no")})]
    )
    assert [item.name for item in schema.types] == ["plant", "person", "age"]
    assert {feature.name: (feature.kind, feature.values) for feature in schema.features} == {
        "alive": ("closed", ("no", "yes")), "years": ("text", ()),
    }  # fmt: skip
    assert [relation.name for relation in schema.relations] == ["planted"]
