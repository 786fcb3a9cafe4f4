from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import aune
from aune.contract.registry import measure
from tests.tasks.tagging.ud import enhanced_figures

MEASURE = measure("tagging.elas")
FORMS = ("a", "b", "ab", "c")
RELATIONS = ("nsubj", "nsubj:pass", "conj:and", "conj:and>nsubj")


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Both sides over the same characters, each word with up to three heads."""

    def rows(forms: list[str]) -> list[dict[str, Any]]:
        edges = st.lists(
            st.tuples(st.integers(0, len(forms)), st.sampled_from(RELATIONS)),
            max_size=3,
            unique_by=lambda edge: edge[0],
        )
        return [
            {"form": form, "deps": "|".join(f"{head}:{relation}" for head, relation in draw(edges)) or "_"}
            for form in forms
        ]

    forms = draw(st.lists(st.sampled_from(FORMS), min_size=1, max_size=6))
    split = [part for form in forms for part in (list(form) if draw(st.booleans()) else [form])]
    return rows(forms), rows(split)


@given(graphs())
def test_edge_by_edge(sides: tuple[list[Any], list[Any]]) -> None:
    assert MEASURE(*sides).counts == enhanced_figures(*sides, sub_types=True)


def test_an_edge_counts_once() -> None:
    key = [{"form": "a", "deps": "0:root"}, {"form": "b", "deps": "1:conj:and|1:conj:or"}]
    assert MEASURE(key, key).f1 == 1.0 and measure("tagging.eulas")(key, key).f1 == 1.0


def test_a_key_without_graphs_has_no_value() -> None:
    key, response = [{"form": "a", "upos": "X"}], [{"form": "a", "deps": "0:root"}]
    assert MEASURE(key, response).f1 is None


FILE = """1\ta\ta\tX\t_\t_\t2\tnsubj\t2:nsubj|2.1:nsubj\t_
2\tb\tb\tX\t_\t_\t0\troot\t0:root\t_
2.1\tc\tc\tX\t_\t_\t_\t_\t2:conj:and\t_
3\td\td\tX\t_\t_\t2\tobj\t2.1:obj\t_

"""


def test_edges_from_empty_nodes_are_left_out_or_become_paths(tmp_path: Path) -> None:
    key, response = tmp_path / "key.conllu", tmp_path / "response.conllu"
    key.write_text(FILE)
    response.write_text(FILE.replace("2.1:obj", "2:obj"))
    plain = aune.score("tagging", key, response, measures="elas")["elas"].counts
    assert (plain["correct"], plain["key"], plain["response"]) == (2, 2, 3)
    paths = aune.score("tagging", key, response, measures="elas", empty_nodes="collapse")["elas"].counts
    assert (paths["correct"], paths["key"], paths["response"]) == (3, 4, 4)


def test_too_many_paths_are_refused(tmp_path: Path) -> None:
    """Each empty node doubles the paths to the word below."""
    lines = ["1\ta\ta\tX\t_\t_\t0\troot\t1.40:obj\t_"]
    lines += [f"1.{n}\t_\t_\tX\t_\t_\t_\t_\t1.{n - 1}:x|1.{n - 1}:y\t_" for n in range(1, 41)]
    path = tmp_path / "key.conllu"
    path.write_text("\n".join(lines) + "\n\n")
    try:
        aune.score("tagging", path, path, measures="elas", empty_nodes="collapse")
    except aune.InputError as error:
        assert "steps through empty nodes" in str(error)
    else:
        raise AssertionError
