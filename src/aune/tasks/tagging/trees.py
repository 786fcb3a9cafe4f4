"""The trees of both sides over their common words, which LAS and related measures compare.

Relations are compared without their sub-types (`nsubj:pass` is `nsubj`). A head is right when the response's head
is the key's head: the same word, or the root on both sides. A head that the other side lacks as a word is never
right. A word without a head in the key counts on neither side, since no response could get it right; a note states
how many there are. A word without a head in the response only is wrong. Content words are those with a content
relation, functional ones those with a functional relation.

Source: the CoNLL 2018 shared task (Zeman et al. 2018) and the published description of its scorer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from aune.numeric.arrays import Ints, Mask, Numbering
from aune.tasks.tagging.alignment import Side
from aune.tasks.tagging.comparison import Comparison
from aune.tasks.tagging.model import NO_HEAD, ROOT
from aune.tasks.tagging.word_counts import Counts, count_words, encode_column, no_words

CONTENT = frozenset(
    ["nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp", "obl", "vocative", "expl", "dislocated", "advcl", "advmod",
     "discourse", "nmod", "appos", "nummod", "acl", "amod", "conj", "fixed", "flat", "compound", "list", "parataxis",
     "orphan", "goeswith", "reparandum", "root", "dep"]
)  # fmt: skip
FUNCTIONAL = frozenset(["aux", "cop", "mark", "det", "clf", "case", "cc"])
NO_TREE = "no words to compare, or the key has no trees"
UNKNOWN = -3  # the head of a response word if the key lacks that head as a word


@dataclass(frozen=True)
class Trees:
    """Heads and relations of the words of a comparison."""

    comparison: Comparison

    @cached_property
    def _relations(self) -> tuple[Ints, Ints, Numbering[str]]:
        return encode_column(self.comparison, "deprel", lambda name: name.split(":")[0])

    @property
    def key_relation(self) -> Ints:
        return self._relations[0]

    @property
    def response_relation(self) -> Ints:
        return self._relations[1]

    def _is_one_of(self, relations: Ints, names: frozenset[str]) -> Mask:
        return np.array([name in names for name in self._relations[2]] or [False])[relations]

    @cached_property
    def key_content(self) -> Mask:
        return self._is_one_of(self.key_relation, CONTENT)

    @cached_property
    def response_content(self) -> Mask:
        return self._is_one_of(self.response_relation, CONTENT)

    @cached_property
    def heads(self) -> tuple[Ints, Ints]:
        """The head of each key word, and the head of each response word as a key word."""
        key, response = _heads(self.comparison.key), _heads(self.comparison.words.side)
        same = np.full(len(self.comparison.words.side) + 1, UNKNOWN)
        same[self.comparison.words.paired[1]] = self.comparison.words.paired[0]
        return key, np.where(response >= 0, same[response], np.where(response == ROOT, ROOT, UNKNOWN))

    @cached_property
    def head_right(self) -> Mask:
        """(pairs,): whether both words depend on the same word."""
        (key, response), (keys, responses) = self.heads, self.comparison.words.paired
        return np.asarray(key[keys] == response[responses])

    @cached_property
    def counted_words(self) -> tuple[Mask, Mask]:
        """Masks of the words of key and response that count: those to which the key gives a head."""
        key, response = self.heads[0] != NO_HEAD, np.ones(len(self.comparison.words.side), bool)
        keys, responses = self.comparison.words.paired
        response[responses] = key[keys]
        return key, response

    @cached_property
    def relation_right(self) -> Mask:
        keys, responses = self.comparison.words.paired
        return np.asarray(self.key_relation[keys] == self.response_relation[responses])

    def functional_children_right(self, feats: Callable[[str], str]) -> Mask:
        """(pairs,): whether both words have the same functional children, with the same tags and features."""
        relations = self.key_relation, self.response_relation
        parts = [
            encode_column(self.comparison, "upos", str)[:2],
            encode_column(self.comparison, "feats", feats)[:2],
            relations,
        ]
        below: list[dict[int, list[tuple[int, ...]]]] = [{}, {}]
        sides = (np.arange(len(self.comparison.key)), _key_words_of(self.comparison))
        heads = _heads(self.comparison.key), _heads(self.comparison.words.side)
        for side, (children, word, head) in enumerate(zip(below, sides, heads, strict=True)):
            functional = np.flatnonzero(
                self._is_one_of(relations[side], FUNCTIONAL) & (head >= 0) & self.counted_words[side]
            ).tolist()
            columns = [part[side] for part in parts]
            for child in functional:
                description = (int(word[child]), *(int(column[child]) for column in columns))
                children.setdefault(int(head[child]), []).append(description)
        keys, responses = self.comparison.words.paired
        pairs = zip(keys.tolist(), responses.tolist(), strict=True)
        return np.array([below[0].get(key, []) == below[1].get(response, []) for key, response in pairs], bool)

    def counts(self, right: Mask, content: bool = False) -> Counts:
        """Words by unit, and how many of them the pairs marked in `right` get right; optionally content words only."""
        if not self.comparison.carries("heads"):
            return no_words(self.comparison)
        key, response = self.counted_words
        if content:
            key, response = key & self.key_content, response & self.response_content
        return count_words(self.comparison, right, key, response)


def trees_of(comparison: Comparison) -> Trees:
    """The trees of a comparison, computed once for all measures that use them."""
    return comparison.compute_once("trees", lambda: Trees(comparison))


def _heads(side: Side) -> Ints:
    """The index of each word's head among all words of the side; ROOT or NO_HEAD where it has none."""
    parts = [
        np.full(len(document), NO_HEAD)
        if document.heads is None
        else np.where(document.heads >= 0, document.heads + base, document.heads)
        for document, base in zip(side.documents, side.first.tolist(), strict=False)
    ]
    return np.concatenate([np.zeros(0, np.int64), *parts])


def _key_words_of(comparison: Comparison) -> Ints:
    """The corresponding key word of each response word; if there is none, a distinct number that no word has."""
    words = -10 - np.arange(len(comparison.words.side))
    words[comparison.words.paired[1]] = comparison.words.paired[0]
    return words
