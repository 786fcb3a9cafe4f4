"""The units of tagging, one row of counts each: a key sentence by tag, and by whether the word is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from aune.numeric.arrays import Ints, owner_indices
from aune.tasks.tagging.alignment import Side, starts_of
from aune.tasks.tagging.grace.readings import NONE, SEVERAL
from aune.tasks.tagging.grace.tagset import Tagset


def build_units(
    key: Side, response: Side, labels: list[str], key_label: Ints, response_label: Ints, described: Tagset | None,
    known: Callable[[str], bool] | None,
) -> tuple[dict[str, list[str]], Ints, Ints]:  # fmt: skip
    """Units, and the unit of every word: a sentence of the key by tag, and by whether the word is known."""
    sentence_counts = np.array([max(1, len(document.sentences)) for document in key.documents], np.int64)
    first_sentence = starts_of(np.cumsum(sentence_counts))
    key_sentence, response_sentence = _sentences(key, response, first_sentence)
    has_words = np.zeros(len(key.documents), bool)
    has_words[key.document], has_words[response.document] = True, True
    empty = first_sentence[~has_words]
    none = np.full(len(empty), labels.index(NONE))
    kinds = np.array([known(name) for name in key.words.names] or [False], np.int64) if known else None
    sentence = np.concatenate([key_sentence, response_sentence, empty])
    label = np.concatenate([key_label, response_label, none])
    codes = (sentence * len(labels) + label) * 2
    if kinds is not None:
        codes[: len(key)] += kinds[key.words.codes]
        codes[len(key) : len(key) + len(response)] += kinds[response.words.codes]
    distinct, inverse = np.unique(codes, return_inverse=True)
    sentence_label, is_known = np.divmod(distinct, 2)
    of_sentence, of_label = np.divmod(sentence_label, len(labels))
    sentence_document = owner_indices(sentence_counts)
    names = [
        f"{document.id}:{document.sentences_before + n}"
        for document, count in zip(key.documents, sentence_counts.tolist(), strict=True)
        for n in range(1, count + 1)
    ]
    units = _attributes(
        [document.id for document in key.documents],
        [document.attributes for document in key.documents],
        sentence_document[of_sentence],
    )
    units["sentence"] = _pick_names(names, of_sentence)
    units["tag"] = _pick_names(labels, of_label)
    if described:
        units["category"] = _pick_names([_category(described, label) for label in labels], of_label)
    if known:
        units["word"] = _pick_names(["unknown", "known"], is_known)
    return units, inverse[: len(key)], inverse[len(key) : len(key) + len(response)]


def _sentences(key: Side, response: Side, first_sentence: Ints) -> tuple[Ints, Ints]:
    """The key's sentence of every key word, and of every response word by the position at which the word begins."""
    beginnings = np.concatenate(
        [(document.sentences if len(document.sentences) else np.zeros(1, np.int64)) + base
         for document, base in zip(key.documents, key.first.tolist(), strict=False)]
    )  # fmt: skip
    key_sentence = np.searchsorted(beginnings, np.arange(len(key)), "right") - 1
    key_sentence = np.maximum(key_sentence, first_sentence[key.document])
    nearest = np.searchsorted(key.word_starts, response.word_starts, "right") - 1
    nearest = np.clip(nearest, key.first[response.document], np.maximum(key.first[response.document + 1] - 1, 0))
    has_key = np.diff(key.first)[response.document] > 0
    response_sentence = first_sentence[response.document]
    response_sentence[has_key] = key_sentence[nearest[has_key]]
    return key_sentence, response_sentence


def _attributes(ids: list[str], attributes: Sequence[Mapping[str, str]], document: Ints) -> dict[str, list[str]]:
    names = sorted(
        {name for attribute in attributes for name in attribute} - {"document", "sentence", "tag", "category", "word"}
    )
    return {"document": _pick_names(ids, document)} | {
        name: _pick_names([attribute.get(name, "") for attribute in attributes], document) for name in names
    }


def _pick_names(names: Sequence[str], codes: Ints) -> list[str]:
    return list(map(names.__getitem__, codes.tolist()))


def _category(described: Tagset, label: str) -> str:
    if label in (SEVERAL, NONE):
        return label
    return "|".join(dict.fromkeys(described.category(tag) for tag in label.split("|")))
