"""Coreference files made at random, through aune and through scorch and metametric: the same numbers, or a reason.

Key and response are CoNLL files of several documents. What should not matter is varied: line ends, the blanks between
columns, comments, blank lines at the end, the order of documents, of brackets in a cell and of chain numbers. Response
spans that the key has may be in several chains.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aune
from tests.tasks.coref import oracle, perl

scores = pytest.importorskip("scorch.scores", reason="pip install scorch to compare with it")
conll = pytest.importorskip("scorch.conll")

DIFFERENCES = {
    "muc": "scorch gives 0 to recall, precision and F when either side has no link; aune only to the ratio without one",
    "blanc": "scorch has rules of its own where a side lacks a sort of link; aune has those of 8.01 and of CorefUD",
    "nothing in common": "scorch stops with an error when recall and precision are both 0; aune says 0",
    "emptied chains": "scorch stops with an error when repeated spans leave a chain empty",
    "ceaf": "scorch divides by the chains of a side, and has no value for a side without any; aune says 0",
    "duplicates": "scorch drops repeated spans of the key and invented ones as well; 8.01 and aune leave them",
}
"""Where the two are known to differ, and why."""
MEASURES = {"muc": scores.muc, "b_cubed": scores.b_cubed, "ceaf_m": scores.ceaf_m, "ceaf_e": scores.ceaf_e}
WORDS = 6
Spans = list[tuple[int, int, int]]


class Dress(NamedTuple):
    """How a file is written, which should not matter."""

    line_end: str
    blank: str
    comments: bool
    trailing: str
    numbering: int
    seed: int


DRESSES = st.builds(
    Dress, st.sampled_from(["\n", "\r\n"]), st.sampled_from(["\t", " ", "    "]), st.booleans(),
    st.sampled_from(["", "\n\n"]), st.integers(0, 90), st.integers(0, 1000),
)  # fmt: skip
SPAN = st.tuples(st.integers(0, WORDS - 1), st.sampled_from([1, 1, 2, 3]), st.integers(1, 4)).map(
    lambda drawn: (drawn[0], min(drawn[0] + drawn[1], WORDS), drawn[2])
)


@st.composite
def texts(draw: st.DrawFn) -> tuple[Spans, Spans]:
    """The spans of a key, each once, and of a response: any, and copies of the key's in other chains."""
    key = draw(st.lists(SPAN, min_size=1, max_size=6, unique_by=lambda span: span[:2]))
    response = draw(st.lists(SPAN, min_size=1, max_size=6, unique_by=lambda span: span[:2]))
    copies = draw(st.lists(st.sampled_from([span[:2] for span in key]), max_size=2))
    return without_crossing(key), without_crossing([*response, *((*span, 9) for span in copies)])


def without_crossing(spans: Spans) -> Spans:
    """Brackets of one chain that cross could be read in two ways."""
    remaining: Spans = []
    for start, end, chain in spans:
        others = [(first, last) for first, last, other in remaining if other == chain]
        if not any(first < start < last < end or start < first < end < last for first, last in others):
            remaining.append((start, end, chain))
    return remaining


def write_text(documents: dict[str, Spans], dress: Dress) -> bytes:
    rng = random.Random(dress.seed)
    lines = []
    for name in rng.sample(list(documents), len(documents)):
        cells: list[list[str]] = [[] for _ in range(WORDS)]
        for start, end, chain in rng.sample(documents[name], len(documents[name])):
            number = chain + dress.numbering
            if end - start == 1:
                cells[start].append(f"({number})")
            else:
                cells[start].append(f"({number}")
                cells[end - 1].insert(0, f"{number})")
        lines.append(f"#begin document ({name}); part 000")
        for place, cell in enumerate(cells):
            row = [name, "0", str(place), f"w{place}", "|".join(sorted(cell, key=lambda item: item[0] == "(")) or "-"]
            lines.append(dress.blank.join(row))
        lines += ["", "#end document"]
        lines += ["# a remark of nobody"] if dress.comments else []
    return (dress.line_end.join([*lines, ""]) + dress.trailing.replace("\n", dress.line_end)).encode()


def of_scorch(text: bytes) -> dict[str, list[set[Any]]]:
    """The chains as scorch reads them; it is given Unix line ends and no remarks."""
    lines = [line for line in text.decode().replace("\r\n", "\n").split("\n") if not line.startswith("# ")]
    return {
        name.partition("-")[0]: [set(chain) for chain in chains.values() if chain]
        for name, chains in conll.parse_file(lines)
    }


METAMETRIC = {"muc": "muc", "b_cubed": "b_cubed", "ceaf_e": "ceaf_phi4"}


def check_metametric(key: list[set[Any]], response: list[set[Any]], values: dict[str, dict[str, float | None]]) -> None:
    """It reads no files: it is given the chains that scorch found there."""
    rival = pytest.importorskip("metametric.metrics.coref", reason="pip install metametric to compare with it")
    ie = pytest.importorskip("metametric.structures.ie")
    places = {span: number for number, span in enumerate(sorted(set().union(*key, *response)))}
    state = rival.coref_suite.new()
    state.update_single(
        *(
            ie.EntitySet([ie.Entity([ie.Mention(places[span], places[span] + 1) for span in chain]) for chain in side])
            for side in (response, key)
        )
    )
    expected = state.compute()
    for measure, rival_value in METAMETRIC.items():
        for value in ("recall", "precision"):
            assert values[measure][value] == pytest.approx(expected[f"{rival_value}-{value}"], abs=1e-6), measure


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rivals")


@settings(max_examples=80)
@given(texts=st.lists(texts(), min_size=1, max_size=3), dresses=st.tuples(DRESSES, DRESSES))
def test_files(folder: Path, texts: list[tuple[Spans, Spans]], dresses: tuple[Dress, Dress]) -> None:
    sides = [{f"d{number}": text[side] for number, text in enumerate(texts)} for side in (0, 1)]
    paths = []
    for side, (documents, dress) in enumerate(zip(sides, dresses, strict=True)):
        path = folder / f"{side}.conll"
        path.write_bytes(write_text(documents, dress))
        paths.append(path)
    result = aune.score("coref", *map(str, paths), measures=[*MEASURES, "blanc"], duplicates="conll")
    try:
        key_clusters, response_clusters = (of_scorch(path.read_bytes()) for path in paths)
    except RuntimeError:
        return  # emptied chains
    for name in key_clusters:
        key, response = key_clusters[name], response_clusters[name]
        if invented_twice(sides[1][name], sides[0][name]) or kept_elsewhere(*paths, name, response):
            continue  # duplicates
        for measure, rival in MEASURES.items():
            if measure == "muc" and (
                not any(len(item) > 1 for item in key) or not any(len(item) > 1 for item in response)
            ):
                continue  # muc
            if not set().union(*key) & set().union(*response):
                continue  # nothing in common
            expected = rival(key, response)
            found = result[measure].by("document")[name]
            assert [found[value] for value in ("recall", "precision", "f1")] == pytest.approx(list(expected)), measure
        once = all(sum(map(len, side)) == len(set().union(*side)) for side in (key, response))
        if once and all(
            any(len(chain) > 1 for chain in side) for side in (key, response)
        ):  # else it divides by nothing
            check_metametric(key, response, {measure: result[measure].by("document")[name] for measure in METAMETRIC})
        if all(sort for side in (key, response) for sort in oracle.links([frozenset(item) for item in side])):
            found = result["blanc"].by("document")[name]
            assert [found[value] for value in ("recall", "precision", "f1")] == pytest.approx(
                list(scores.blanc(key, response, fast=False))
            )


def kept_elsewhere(key_path: Path, response_path: Path, name: str, scorch_chains: list[set[Any]]) -> bool:
    """Whether scorch leaves a repeated mention in another chain than the CoNLL scorer, which reads cells in order."""
    key, response = (perl.chains_of(cells_of(path.read_bytes(), name)) for path in (key_path, response_path))
    official_chains = [chain for chain in perl.kept_once(key, response) if chain]
    return sorted(map(len, official_chains)) != sorted(map(len, scorch_chains))


def cells_of(text: bytes, name: str) -> list[str]:
    """The last column of a document of a file."""
    document = text.decode().replace("\r\n", "\n").partition(f"({name}); part 000\n")[2].partition("#end")[0]
    return [line.split()[-1] for line in document.split("\n") if line.strip() and not line.startswith("#")]


def invented_twice(response: Spans, key: Spans) -> bool:
    known = {span[:2] for span in key}
    invented = [span[:2] for span in response if span[:2] not in known]
    return len(invented) != len(set(invented))
