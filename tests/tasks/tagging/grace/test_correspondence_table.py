"""Correspondence tables: projection, inverse, coverage, and what is wrong with a file."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aune.errors import InputError
from aune.tasks.tagging.grace.correspondence_table import (
    CorrespondenceTable,
    coverage,
    format_table,
    minimise_table,
    read_table,
)

PIVOT = frozenset({"Ncms", "Ncfs", "Vmip", "Vmn", "Vaip"})


def test_wildcards_on_both_sides() -> None:
    correspondence_table = CorrespondenceTable(
        {"V*": ("Vm*",), "VA*": ("Va*",), "VINF": ("Vmn",), "X": ("Ncms", "V*x")}
    )
    assert correspondence_table.project("VPP", PIVOT) == ("Vmip", "Vmn")
    assert correspondence_table.project("VAUX", PIVOT) == ("Vaip",), "the longest pattern"
    assert correspondence_table.project("VINF", PIVOT) == ("Vmn",), "its own entry first"
    assert correspondence_table.project("X", PIVOT) == ("Ncms",), "V*x fits nothing in the pivot"
    assert correspondence_table.project("Z", PIVOT) is None


ENTRIES = st.dictionaries(
    st.sampled_from("ABCD"), st.lists(st.sampled_from(sorted(PIVOT)), min_size=1, max_size=3, unique=True).map(tuple)
)


@given(ENTRIES)
def test_the_inverse_of_the_inverse_is_the_table(entries: dict[str, tuple[str, ...]]) -> None:
    inverse = CorrespondenceTable(entries).inverse(entries, PIVOT)
    again = CorrespondenceTable(inverse).inverse(inverse)
    assert again == {tag: tuple(sorted(right)) for tag, right in sorted(entries.items())}


def test_coverage() -> None:
    result = coverage(
        CorrespondenceTable({"N": ("Ncms", "Ncfs"), "V": ("Vmn",), "I": ("Zz",)}), {"N": 5, "Q": 2}, PIVOT, PIVOT
    )
    assert result.missing == {"Q": 2} and result.unused == ["I", "V"]
    assert result.outside == ["Zz"] and result.ambiguous == {"N": 2}


def test_tsv_and_toml_say_the_same(tmp_path: Path) -> None:
    tsv, toml = tmp_path / "t.tsv", tmp_path / "t.toml"
    tsv.write_text("# from, to\n\nNC\tNcms|Ncfs\nV*\tVm*\n")
    toml.write_text('NC = ["Ncms", "Ncfs"]\n"V*" = "Vm*"\n')
    assert read_table(str(tsv)).entries == read_table(str(toml)).entries == {"NC": ("Ncms", "Ncfs"), "V*": ("Vm*",)}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("t.tsv", "NC Ncms\n", "t.tsv:1:1: found 'NC Ncms', expected 'tag<tab>pivot|pivot': put a tab between them"),
        ("t.tsv", "A\tB\nA\tC\n", "t.tsv:2:1: found a second entry for 'A', expected one: join them with |"),
        ("t.tsv", "", "t.tsv:1:1: found no entry, expected such as 'NC<tab>Ncms|Ncfs': write the table"),
        ("t.toml", "A = 3\n", "t.toml:1:1: found A = 3, expected a tag or a list of tags: mend the entry"),
        ("t.toml", "A = \n", "t.toml:1:1: found no valid TOML"),
    ],
)
def test_what_is_wrong_with_a_table(tmp_path: Path, name: str, text: str, message: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read_table(str(path))
    assert message in str(error.value)


PATTERNS = st.dictionaries(
    st.sampled_from(["A", "AB", "A*", "B", "B*", "*"]),
    st.lists(st.sampled_from([*sorted(PIVOT), "V*", "Vm*", "Nc*"]), min_size=1, max_size=3, unique=True).map(tuple),
    min_size=1,
)


@given(PATTERNS)
def test_the_shortest_table_says_the_same(entries: dict[str, tuple[str, ...]]) -> None:
    before, after = (
        CorrespondenceTable(entries),
        CorrespondenceTable(minimise_table(CorrespondenceTable(entries), PIVOT)),
    )
    for tag in ("A", "AB", "AC", "B", "BA", "C"):
        meant, means = before.project(tag, PIVOT), after.project(tag, PIVOT)
        assert (meant is None) == (means is None) and set(meant or ()) == set(means or ())
    assert len(after.entries) <= len(before.entries)
    assert all(len(after.entries[left]) <= len(set(before.project(left, PIVOT) or ())) for left in after.entries)
    again = minimise_table(after, PIVOT)
    assert again == after.entries, "there is nothing left to shorten"


@given(PATTERNS)
def test_an_entry_may_be_what_its_tags_are_projected_to(entries: dict[str, tuple[str, ...]]) -> None:
    """The inverse by entries and the projection say the same, tag by tag."""
    correspondence_table = CorrespondenceTable(entries)
    back = correspondence_table.entries_by_tag(PIVOT)
    for tag in ("A", "AB", "AC", "B", "BA", "C"):
        for item in PIVOT:
            forward = item in (correspondence_table.project(tag, PIVOT) or ())
            assert forward == (correspondence_table.entry(tag) in back.get(item, ()))


def test_a_table_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text(format_table({"n": ("Nc", "Np"), "v*": ("V*",)}, ["Nc", "Np", "Vm"]))
    table = read_table(str(path))
    assert table.entries == {"n": ("Nc", "Np"), "v*": ("V*",)} and table.pivot_tags == {"Nc", "Np", "Vm"}
