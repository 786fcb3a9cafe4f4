"""`--duplicates conll` on files, against a second implementation of what the CoNLL scorer 8.01 does."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aune
from tests.tasks.coref import perl

MEASURES = ("mentions", "muc", "b_cubed", "ceaf_m", "ceaf_e", "blanc")


def write_text(cells: list[str]) -> str:
    rows = (f"d 0 {number} w{number} {cell or '-'}" for number, cell in enumerate(cells))
    return "\n".join(["#begin document (d);", *rows, "#end document", ""])


def result_of(key: list[str], response: list[str], folder: Path, *measures: str) -> aune.Result:
    paths = []
    for name, cells in (("key", key), ("response", response)):
        (folder / f"{name}.conll").write_text(write_text(cells))
        paths.append(str(folder / f"{name}.conll"))
    return aune.score("coref", *paths, measures=measures or MEASURES, duplicates="conll")


def test_a_key_span_in_three_chains(tmp_path: Path) -> None:
    result = result_of(["(1)|(2)|(3)"], ["(1)"], tmp_path)
    assert result["b_cubed"].recall == pytest.approx(1 / 3) and result["b_cubed"].precision == 1
    assert result["ceaf_e"].recall == pytest.approx(1 / 3) and result["ceaf_e"].precision == 1
    assert result["mentions"].values == {"recall": 1, "precision": 1, "f1": 1}


def test_the_copy_that_stays_is_in_the_chain_that_appears_first_in_the_document(tmp_path: Path) -> None:
    """Chain 1 appears with the first token, though the cell of the repeated span opens chain 2 before it."""
    result = result_of(["(1)", "(1", "1)"], ["(1)", "(2|(1", "1)|2)"], tmp_path)
    assert result["muc"].f1 == 1
    result = result_of(["(1)", "(1", "1)", "(1)"], ["(2)", "(1|(2", "2)|1)", "(1)"], tmp_path)
    assert result["muc"].recall == 1 / 2


def test_invented_copies_count_once_among_the_mentions(tmp_path: Path) -> None:
    result = result_of(["(1)", "-", "(1)"], ["(1)", "(1)|(2)|(3)", "(2)"], tmp_path)
    assert result["mentions"].counts == {"common_mentions": 2, "key_mentions": 2, "response_mentions": 3}
    assert result["b_cubed"].counts["response_weight"] == 5


def test_a_span_in_two_chains_has_links_to_the_members_of_both(tmp_path: Path) -> None:
    """BLANC of the scorer 8.01 (SOURCES.md): F 66.66."""
    blanc = result_of(["(1)", "(1)|(2)", "(2)"], ["(1)", "(1)", "(2)"], tmp_path)["blanc"]
    assert list(blanc.values.values()) == pytest.approx([1 / 2, 1, 2 / 3])


Spans = list[tuple[int, int, int]]


@st.composite
def files(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    """Key and response cells of a text of six tokens, with spans in several chains and several times in one."""
    span = st.tuples(st.integers(0, 5), st.sampled_from([1, 1, 2, 3]), st.integers(1, 3)).map(
        lambda drawn: (drawn[0], min(drawn[0] + drawn[1], 6), drawn[2])
    )
    rng = draw(st.randoms(use_true_random=False))
    sides = [draw(st.lists(span, min_size=1, max_size=7)) for _ in range(2)]
    return cells_of(sides[0], rng), cells_of(sides[1], rng)


def cells_of(spans: Spans, rng: random.Random) -> list[str]:
    """The brackets of spans, in any order inside a cell; a chain that crosses itself is not written."""
    remaining: Spans = []
    for start, end, chain in spans:
        crosses = any(
            other == chain and (first < start < last < end or start < first < end < last)
            for first, last, other in remaining
        )
        if not crosses:
            remaining.append((start, end, chain))
    cells: list[list[str]] = [[] for _ in range(6)]
    for start, end, chain in remaining:
        if end - start == 1:
            cells[start].append(f"({chain})")
        else:
            cells[start].append(f"({chain}")
            cells[end - 1].append(f"{chain})")
    for cell in cells:
        rng.shuffle(cell)
        cell.sort(key=lambda bracket: not bracket[0].isdigit())  # closing brackets first: they end older mentions
    return ["|".join(cell) for cell in cells]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("duplicates")


@settings(max_examples=150)
@given(sides=files())
def test_as_the_scorer_does(folder: Path, sides: tuple[list[str], list[str]]) -> None:
    key, response = sides
    expected = perl.scores(perl.chains_of(key), perl.chains_of(response))
    found = result_of(key, response, folder)
    for name, values in expected.items():
        assert list(found[name].values.values()) == pytest.approx([float(value) for value in values]), name


@settings(max_examples=100)
@given(sides=files())
def test_no_value_leaves_its_range(folder: Path, sides: tuple[list[str], list[str]]) -> None:
    for score in result_of(*sides, folder, "blanc", "lea", "conll", "core", "exclusive_core", "denotation"):
        for name, value in score.values.items():
            assert value is None or -1e-12 <= value <= 1 + 1e-12, (score.name, name, value)
