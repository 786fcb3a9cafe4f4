"""Tables of pairs."""

from __future__ import annotations

from aune.reading.source import Source
from aune.tasks.anaphora.formats.pairs import read, splice, write
from aune.tasks.anaphora.model import documents

TABLE = "document\tanaphor\tantecedent\tgender\nd\the\tAnn\tfeminine\nd\tit\t-\t\n"


def test_a_table_with_names() -> None:
    source = Source("x", (TABLE + "d\the\tBob\tfeminine\nd\the\tBob\tfeminine\n").encode())
    [document] = read(source)
    assert [(anaphor.mention, anaphor.antecedents) for anaphor in document.anaphors] == [
        ("he", ("Ann", "Bob")),
        ("it", ()),
    ]
    assert document.anaphors[0].attributes == {"gender": "feminine"}
    assert source.warnings == ["x: 1 pair written twice, counted once"]


def test_what_is_written_is_read_again() -> None:
    [before] = documents({"a b": {"he": ["Ann", "3-5"], "it": None}})
    [after] = read(Source("x", "".join(write([before])).encode()))
    assert (after.id, after.chains) == (before.id, before.chains)
    assert [anaphor[:2] for anaphor in after.anaphors] == [anaphor[:2] for anaphor in before.anaphors]


def test_another_antecedent_is_another_cell() -> None:
    [after] = documents({"d": {"anaphors": {"he": "Bob", "it": None}, "attributes": {"he": {"gender": "feminine"}}}})
    assert splice(Source("x", TABLE.encode()), [after]).decode() == TABLE.replace("Ann", "Bob")
    [none] = documents({"d": {"anaphors": {"he": None, "it": None}}})
    assert splice(Source("x", TABLE.encode()), [none]).decode() == TABLE.replace("Ann", "-")


def test_new_and_removed_anaphors_are_lines() -> None:
    [after] = documents({"d": {"anaphors": {"he": ["Ann", "Bob"], "she": "Eve"}}})
    lines = splice(Source("x", TABLE.encode()), [after]).decode().split("\n")
    assert lines[1:] == ["d\the\tAnn\tfeminine", "d\the\tBob\tfeminine", "d\tshe\tEve", ""]
