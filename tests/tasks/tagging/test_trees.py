"""Trees over words that both sides have: heads in terms of the key's words."""

from __future__ import annotations

import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aune
from aune.contract import registry
from aune.tasks.tagging.comparison import compare
from aune.tasks.tagging.model import documents
from aune.tasks.tagging.trees import UNKNOWN, trees_of

MEASURES = ["uas", "las", "clas", "mlas", "blex"]


def test_heads_of_the_response_are_words_of_the_key() -> None:
    key = documents([{"form": "ab", "head": 2, "deprel": "det"}, {"form": "c", "head": 0, "deprel": "root"}])
    response = documents([
        {"form": "a", "head": 3, "deprel": "x"}, {"form": "b", "head": 1, "deprel": "x"},
        {"form": "c", "head": 0, "deprel": "root"},
    ])  # fmt: skip
    trees = trees_of(compare([(key[0], response[0])]))
    assert trees.heads[0].tolist() == [1, -1]
    assert trees.heads[1].tolist() == [1, UNKNOWN, -1]
    assert trees.head_right.tolist() == [True] and trees.relation_right.tolist() == [True]
    assert trees_of(trees.comparison) is trees, "made once"


def test_documents_keep_their_heads_apart() -> None:
    rows = [{"form": "a", "head": 0, "deprel": "root"}, {"form": "b", "head": 1, "deprel": "obj"}]
    sides = documents({"x": rows, "y": rows})
    trees = trees_of(compare(list(zip(sides, sides, strict=True))))
    assert trees.heads[0].tolist() == [-1, 0, -1, 2] and trees.head_right.all()


ROWS = st.lists(
    st.fixed_dictionaries({
        "form": st.sampled_from("abc"), "head": st.sampled_from([None, 0, 1]), "lemma": st.sampled_from(["a", None]),
        "deprel": st.sampled_from([None, "root", "det", "nsubj", "punct"]), "upos": st.sampled_from(["X", None]),
    }),
    min_size=1, max_size=5,
)  # fmt: skip


@pytest.mark.filterwarnings("ignore::aune.AuneWarning")
@pytest.mark.parametrize("measure", MEASURES)
@given(rows=ROWS)
def test_a_key_with_a_part_of_its_trees_is_perfect_against_itself_and_told(measure: str, rows: list[Any]) -> None:
    """From Python and from files: a word without a head was wrong whatever the response said."""
    file = "".join(registry.format("tagging", "conllu").write(documents(rows))).encode()  # type: ignore[misc]
    none = sum(row["head"] is None for row in rows)
    for key in (lambda: rows, lambda: io.BytesIO(file)):
        result = aune.score("tagging", key(), key(), measures=[measure])
        assert {*result[measure].values.values()} <= {1.0, None}, result
        messages = [note for note in result.warnings if "no head" in note]
        assert bool(messages) == (0 < none < len(rows)), result.warnings
        if none == len(rows):
            assert result[measure].f1 is None and "no trees" in result[measure].reasons["f1"]


@pytest.mark.parametrize("head", ["9", "x", "-1", "1.5"])
def test_a_head_that_is_no_word_is_told(head: str) -> None:
    text = f"1\ta\t_\t_\t_\t_\t{head}\tdet\t_\t_\n2\tb\t_\t_\t_\t_\t0\troot\t_\t_\n".encode()
    with pytest.warns(aune.AuneWarning, match="1 heads are no words of their sentence"):
        aune.score("tagging", io.BytesIO(text), io.BytesIO(text), measures=["uas"])


def test_what_the_key_leaves_open_costs_no_response_anything() -> None:
    key = [
        {"form": "le", "head": None, "deprel": "det"}, {"form": "chat", "head": 3, "deprel": "nsubj"},
        {"form": "dort", "head": 0, "deprel": "root"},
    ]  # fmt: skip
    response = [{**key[0], "head": 2}, {**key[1], "head": None}, key[2]]
    values = {name: registry.measure(f"tagging.{name}")(key, response).counts for name in MEASURES}
    assert values == {name: {"correct": 1, "aligned": 2, "key": 2, "response": 2} for name in MEASURES}


@pytest.mark.parametrize("head", [float("inf"), float("nan"), 1.5, 10**400, "x", 3, -1])
def test_a_head_that_is_no_word_is_refused_from_python_too(head: object) -> None:
    with pytest.raises(aune.UsageError, match="mend it"):
        aune.score("tagging", [{"form": "a", "upos": "X", "head": 0}], [{"form": "a", "upos": "X", "head": head}])
