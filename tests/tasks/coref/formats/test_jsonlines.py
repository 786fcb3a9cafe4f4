from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aune.errors import InputError, UsageError
from aune.reading.source import Source
from aune.tasks.coref.formats import conll2012, jsonlines
from aune.tasks.coref.formats.jsonlines import read, sniff, splice, write
from aune.tasks.coref.model import Document, Mention, Relation, make_document, token_spans
from aune.tasks.coref.model import documents as from_python
from tests.tasks.formats import messages
from tests.tasks.formats import read as read_text

SAMPLES = Path(__file__).parent / "samples"


def documents(text: str, **options: str) -> list[Document]:
    source = Source("a.jsonl", text.encode())
    result = list(read(source, **options))  # type: ignore[arg-type]
    source.raise_problems()
    return result


def test_the_common_fields() -> None:
    first, second = documents((SAMPLES / "jsonlines-two.jsonl").read_text())
    assert first.id == "nw/a"
    assert first.tokens == ["Ann", "Lee", "saw", "her", "dog", "."]
    assert first.sentences == [0, 3]
    assert first.clusters() == [[(0, 2), (3, 4)], [(3, 5)]]
    assert first.features == {"kind": ["name", "pronoun", "noun"]}
    assert first.heads is not None
    assert first.heads.tolist() == [1, 3, 4]
    assert (second.id, len(second), second.line) == ("b", 0, 2)


def test_the_other_fields() -> None:
    first, second = documents((SAMPLES / "jsonlines-list.json").read_text())
    assert (first.id, first.attributes, first.line) == ("7", {"genre": "tale"}, 2)
    assert first.clusters() == [[(0, 1), (0, 3)], [(1, 2)]]
    assert first.segments == {1: ((0, 1), (2, 3))}
    assert first.features == {"gender": ["f", "", ""]}
    assert first.minima is not None
    assert first.minima.tolist() == [[0, 1], [2, 3], [1, 2]]
    assert first.relations == (Relation("bridge", 0, 2),)
    assert (second.id, second.unit, second.line) == ("c", "character", 12)
    assert token_spans(second).tolist() == [[0, 1], [2, 3]]


def test_ends_may_be_exclusive() -> None:
    assert documents('{"clusters": [[[0, 2], [3, 4]]]}', ends="exclusive")[0].clusters() == [[(0, 2), (3, 4)]]


def test_documents_without_names_are_numbered() -> None:
    assert [document.id for document in documents('{"clusters": []}\n\n{"clusters": [], "doc_key": null}\n')] == [
        "document 1",
        "document 2",
    ]


def test_sniff() -> None:
    assert sniff('[{"id": 1, "clusters": []}]')
    assert not sniff('{"text": "a"}')
    assert not sniff("{1, 2}")


def test_real_documents_survive(data: Path) -> None:
    before = list(conll2012.read(Source("key", (data / "coref" / "litbank" / "key.conll.gz").read_bytes())))
    after = documents("".join(write(before)))
    assert [(document.id, document.clusters(), document.sentences, document.tokens) for document in before] == [
        (document.id, document.clusters(), document.sentences, document.tokens) for document in after
    ]


BOTH = (
    '{"doc_key": "a", "tokens": ["Ann", "saw", "her"], '
    '"clusters": [[[0, 0], [2, 2]]], "predicted_clusters": [[[0, 1]]]}'
)


def test_clusters_beside_predicted_ones_are_never_guessed() -> None:
    with pytest.raises(InputError, match="--clusters-field clusters --response-clusters-field predicted_clusters"):
        documents(BOTH)
    assert documents(BOTH, clusters_field="clusters")[0].clusters() == [[(0, 1), (2, 3)]]
    assert documents(BOTH, clusters_field="predicted_clusters")[0].clusters() == [[(0, 2)]]
    assert documents(BOTH.replace('"clusters"', '"gold"'))[0].clusters() == [[(0, 2)]]


def test_an_edit_of_predicted_clusters_leaves_the_key_alone() -> None:
    after = make_document("a", [Mention(0, 2, "0"), Mention(2, 3, "1")], tokens=["Ann", "saw", "her"])
    written = splice(Source("a.jsonl", BOTH.encode()), [after], clusters_field="predicted_clusters").decode()
    assert written == BOTH.replace('"predicted_clusters": [[[0, 1]]]', '"predicted_clusters": [[[0, 1]], [[2, 2]]]')


MENTIONS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2)).map(lambda both: [both[0], sum(both)]), max_size=4)
RECORDS = st.lists(
    st.fixed_dictionaries(
        {"doc_key": st.text("ab", min_size=1), "clusters": st.lists(MENTIONS, max_size=4)},
        optional={
            "sentences": st.lists(st.lists(st.sampled_from(["x", "é"]), max_size=5), min_size=2, max_size=4),
            "tokens": st.just(["x"] * 12),
            "text": st.just("words of characters"),
            "singletons": MENTIONS,
            "genre": st.just("news"),
            "unit": st.just("name"),
            "kinds": st.just([]),
        },
    ),
    max_size=6,
)


@given(RECORDS, st.sampled_from(["inclusive", "exclusive"]))
def test_documents_put_in_order_together_are_those_put_in_order_one_by_one(records: list[Any], ends: Any) -> None:
    data = "\n".join(json.dumps(record) for record in records).encode()
    together, alone = Source("a.jsonl", data), Source("a.jsonl", data)
    documents = list(jsonlines.read(together, ends=ends))
    with patch.object(jsonlines, "_is_plain", return_value=False):
        expected = list(jsonlines.read(alone, ends=ends))
    assert together.problems == alone.problems
    assert [_plainly(document) for document in documents] == [_plainly(item) for item in expected]


def _plainly(document: Document) -> dict[str, Any]:
    values = {field.name: getattr(document, field.name) for field in dataclasses.fields(document)}
    return {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in values.items()}


def test_preco_and_rucoco() -> None:
    [document] = read_text("coref", "jsonlines", (SAMPLES / "jsonlines-preco.jsonl").read_bytes())
    assert document.id == "dev_1" and document.clusters() == [[(0, 1), (2, 3), (5, 6)], [(2, 4)]]
    text = (SAMPLES / "jsonlines-rucoco.json").read_bytes()
    [document] = read_text("coref", "jsonlines", text)
    assert document.unit == "character" and document.clusters() == [[(0, 3), (8, 11)], [(15, 17)], [(24, 28)]]
    chains = document.chains.tolist()
    assert [(kind, chains[a], chains[b]) for kind, a, b in document.relations] == [("split", 2, 0), ("split", 2, 1)]


def test_a_mention_of_preco_outside_its_sentence_is_refused() -> None:
    text = '{"id": "a", "sentences": [["Ann", "ran"], ["She"]], "mention_clusters": [[[0, 1, 3]], [[7, 0, 1]]]}'
    assert len(messages("coref", "jsonlines", text)) == 2


def test_several_right_answers() -> None:
    first, second = documents((SAMPLES / "jsonlines-alternatives.jsonl").read_text())
    assert (first.optional, first.other_chains, second.has_alternatives) == ({3}, {2: (1, 3)}, False)
    (other,) = first.other_keys
    assert (other.tokens, other.clusters(), other.optional) == (first.tokens, [[(0, 1), (2, 3), (4, 5)]], {1})
    again = documents("".join(write([first, second])))
    assert [document.other_chains for document in again] == [first.other_chains, {}]
    assert again[0].other_keys[0].optional == {1}


def test_a_chain_that_only_alternatives_have_is_written_without_mentions() -> None:
    mentions = [Mention(0, 1, "a"), *(Mention(place, place + 1, "a", other_chains=("b",)) for place in (1, 2))]
    (document,) = documents("".join(write([make_document("d", mentions)])))
    assert document.other_chains == {1: (1,), 2: (1,)}


def test_python_says_the_same() -> None:
    (document,) = from_python(
        {"tokens": list("abcdefg"), "clusters": [[(0, 1), (4, 5)], [(2, 3)], [(4, 6)]], "optional": [(4, 6)],
         "other_clusters": {(4, 5): [1, -1]}, "other_keys": [[[(0, 1), (2, 3), (4, 5)]]]}
    )  # fmt: skip
    assert (document.optional, document.other_chains) == ({3}, {2: (1, 3)})
    assert document.other_keys[0].clusters() == [[(0, 1), (2, 3), (4, 5)]]
    with pytest.raises(UsageError, match="expected a mention of its clusters"):
        from_python({"clusters": [[(0, 1)]], "optional": [(3, 4)]})
    with pytest.raises(UsageError, match="expected numbers from 0 to 0"):
        from_python({"clusters": [[(0, 1)]], "other_clusters": {(0, 1): [1]}})


def test_a_file_with_several_right_answers_is_not_edited_in_place() -> None:
    data = (SAMPLES / "jsonlines-alternatives.jsonl").read_bytes()
    source = Source("a.jsonl", data)
    first, second = read(source)
    assert splice(Source("a.jsonl", data), [first, second]) == data
    with pytest.raises(UsageError, match="several right answers"):
        splice(Source("a.jsonl", data), [make_document("a", [Mention(0, 1, "a")], tokens=first.tokens), second])
