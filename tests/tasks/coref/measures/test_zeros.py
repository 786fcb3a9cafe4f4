"""Zeros: their matching by place and by dependency, and their score, against the cases of the CorefUD scorer."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aune
from aune.evaluation.pipeline import run_evaluation
from aune.tasks.coref.model import Document, is_zero

WORDS = 20
Node = tuple[str, str, str]
"""An empty node: its id, its DEPS, and its chain."""


def text(chains: dict[str, list[str]], nodes: list[Node], folder: Path, name: str) -> str:
    """A CorefUD file of one sentence of twenty words; a mention is a range such as 4-7, its head the first word."""
    opens: dict[str, str] = {}
    closes: dict[str, str] = {}
    for chain, spans in chains.items():
        for span in spans:
            first, _, last = span.partition("-")
            opens[first] = opens.get(first, "") + f"({chain}-1" + (")" if not last else "")
            if last:
                closes[last] = closes.get(last, "") + f"{chain})"
    lines = ["# newdoc id = d", "# global.Entity = eid-head", "# sent_id = 1"]
    for word in range(1, WORDS + 1):
        entity = closes.get(str(word), "") + opens.get(str(word), "")
        lines.append(f"{word}\tw{word}\t_\tNOUN\t_\t_\t0\tdep\t_\t{f'Entity={entity}' if entity else '_'}")
        for node, deps, chain in nodes:
            if node.startswith(f"{word}."):
                lines.append(f"{node}\t_\t_\tPRON\t_\t_\t_\t_\t{deps}\tEntity=({chain}-1)")
    path = folder / f"{name}.conllu"
    path.write_text("\n".join([*lines, "", ""]))
    return str(path)


KEY = {"x": ["1-2", "12"], "y": ["4-7", "19"]}
"""{a c d} and {b e}, as in the scorer's cases: d is the zero."""


def scores(
    folder: Path, key: list[Node], response: list[Node], zeros: str, *names: str
) -> dict[str, tuple[float, ...]]:
    paths = [text(KEY, key, folder, "key"), text(KEY, response, folder, "response")]
    result = aune.score("coref", *paths, measures=names or ["b_cubed", "muc"], match="head", zeros=zeros)
    return {item.name: tuple(item.values.values()) for item in result}  # type: ignore[misc]


D = ("15.1", "15:nsubj", "x")
THREE = ("15.1", "13:a|14:b|15:c", "x")


@pytest.mark.parametrize(
    ("key", "response", "zeros", "b_cubed", "muc"),
    [
        (D, [D], "dependent", (1, 1), (1, 1)),
        (D, [("17.1", "15:nsubj", "x")], "dependent", (1, 1), (1, 1)),
        (D, [("17.1", "15:dep", "x")], "dependent", (1, 1), (1, 1)),
        (D, [("15.1", "15:dep", "x"), ("13.1", "15:nsubj", "y")], "dependent", (11 / 15, 1 / 2), (2 / 3, 1 / 2)),
        (D, [("15.1", "15:dep", "x"), ("13.1", "15:nsubj", "y")], "linear", (1, 13 / 18), (1, 3 / 4)),
        (THREE, [("15.1", "15:c", "x")], "dependent", (1, 1), (1, 1)),
        (THREE, [("15.2", "13:a|15:x", "x"), ("15.1", "13:a|18:x", "y")], "dependent", (1, 13 / 18), (1, 3 / 4)),
        (THREE, [("15.2", "13:a", "x"), ("15.1", "13:x|14:y|15:z", "y")], "dependent", (1, 13 / 18), (1, 3 / 4)),
    ],
    ids=["ZF-1", "ZF-2", "ZF-3", "ZF-4", "ZF-4 linear", "ZG-1", "ZG-2", "ZG-3"],
)
def test_the_scorer_s_cases(
    tmp_path: Path, key: Node, response: list[Node], zeros: str, b_cubed: tuple[float, ...], muc: tuple[float, ...]
) -> None:
    values = scores(tmp_path, [key], response, zeros)
    assert values["coref.b_cubed"][:2] == pytest.approx(b_cubed)
    assert values["coref.muc"][:2] == pytest.approx(muc)


def test_a_zero_elsewhere_is_missed_by_place(tmp_path: Path) -> None:
    values = scores(tmp_path, [D], [("17.1", "15:nsubj", "x")], "linear", "mentions", "zeros")
    assert values["coref.mentions"] == pytest.approx((4 / 5, 4 / 5, 4 / 5))
    assert values["coref.zeros"] == (0, 0, 0)


def test_dropped_zeros_are_nowhere(tmp_path: Path) -> None:
    values = scores(tmp_path, [D], [("17.1", "15:nsubj", "y")], "drop", "mentions", "b_cubed", "zeros")
    assert values == {"coref.mentions": (1, 1, 1), "coref.b_cubed": (1, 1, 1), "coref.zeros": (0, 0, 0)}


def test_zeros_that_depend_on_nothing_alike_match_by_place(tmp_path: Path) -> None:
    assert scores(tmp_path, [D], [("15.1", "3:obj", "x")], "dependent")["coref.b_cubed"] == (1, 1, 1)


def test_the_official_convention(tmp_path: Path) -> None:
    """Heads, zeros by dependency, no singletons, links of either side."""
    key = text({**KEY, "z": ["9"]}, [D], tmp_path, "key")
    response = text({**KEY, "z": ["10"]}, [("17.1", "15:nsubj", "x")], tmp_path, "response")
    result = aune.score("coref", key, response, convention="corefud", measures=["conll", "blanc"])
    assert [item.main for item in result] == [1, 1]
    for answer in ("match:head", "zeros:dependent", "singletons:drop"):
        assert answer in str(result["conll"].signature)
    assert "links:either" in str(result["blanc"].signature)


# The score of zeros, a second time: chain by chain, in the words of its definition.


def by_definition(key: Document, response: Document) -> tuple[int, int, int, int]:
    """Right, wrong link, missing, invented; mentions of both sides are the same when their places are."""
    chain_there = dict(zip(map(tuple, response.spans.tolist()), response.chains.tolist(), strict=True))
    firsts = {tuple(members[0]) for members in response.clusters()}
    zeros = {tuple(span) for span, zero in zip(key.spans.tolist(), is_zero(key), strict=True) if zero}
    right = wrong = missing = 0
    covered = set()
    for members in key.clusters():
        before: set[int] = set()
        for place, span in enumerate(members):
            home = chain_there.get(span)
            if place and span in zeros:
                covered |= {span} if home is not None else set()
                if home is None or span in firsts:
                    missing += 1
                elif home in before:
                    right += 1
                else:
                    wrong += 1
            before |= {home} if home is not None else set()
    rival_value = {tuple(span) for span, zero in zip(response.spans.tolist(), is_zero(response), strict=True) if zero}
    return right, wrong, missing, len(rival_value - firsts - covered)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("zeros")


PLACES = [*(str(word) for word in (2, 5, 8)), *(f"{word}.1" for word in (3, 6, 9, 11))]
ASSIGNMENTS = st.lists(st.sampled_from(["x", "y", "z", ""]), min_size=len(PLACES), max_size=len(PLACES))


@settings(max_examples=60)
@given(ASSIGNMENTS, ASSIGNMENTS)
def test_agrees_with_the_definition(folder: Path, key: list[str], response: list[str]) -> None:
    paths = []
    for name, homes in (("key", key), ("response", response)):
        chains: dict[str, list[str]] = {}
        for place, home in zip(PLACES, homes, strict=True):
            if home and "." not in place:
                chains.setdefault(home, []).append(place)
        nodes = [(place, "1:x", home) for place, home in zip(PLACES, homes, strict=True) if home and "." in place]
        paths.append(text(chains, nodes, folder, name))
    outcome = run_evaluation("coref", paths[0], {"s": paths[1]}, measures=["zeros"], keep=True)
    [(key_pair, response_pair)] = outcome.comparisons["s"][0].pairs
    assert tuple(outcome.result["zeros"].counts.values()) == by_definition(key_pair, response_pair)
