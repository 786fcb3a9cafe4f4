"""The trees of both sides, as far as their words are the same: what LAS and its kin compare.

Relations are compared without their sub-types (`nsubj:pass` is `nsubj`), and a head is right when the response's head
is the key's head: the same word, or the root on both sides. A head that the other side does not have as a word is never
right. A word to which the key gives no head counts on neither side, for nobody could get it right, and the user is told
how many there are; a word to which only the response gives none is wrong. Content words are those with a content
relation, functional ones those with a functional relation.

Source: the CoNLL 2018 shared task (Zeman et al. 2018) and the published description of its scorer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from aune.core.arrays import Ints, Mask, Numbers
from aune.tasks.tagging.alignment import Side
from aune.tasks.tagging.comparison import Comparison
from aune.tasks.tagging.model import NO_HEAD, ROOT
from aune.tasks.tagging.words import Counts, coded, counted, no_words

CONTENT = frozenset(
    ["nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp", "obl", "vocative", "expl", "dislocated", "advcl", "advmod",
     "discourse", "nmod", "appos", "nummod", "acl", "amod", "conj", "fixed", "flat", "compound", "list", "parataxis",
     "orphan", "goeswith", "reparandum", "root", "dep"]
)  # fmt: skip
FUNCTIONAL = frozenset(["aux", "cop", "mark", "det", "clf", "case", "cc"])
NO_TREE = "no words to compare, or the key has no trees"
UNKNOWN = -3  # the head of a response word whose head the key does not have as a word


@dataclass(frozen=True)
class Trees:
    """Heads and relations of the words of a comparison."""

    comparison: Comparison

    @cached_property
    def _relations(self) -> tuple[Ints, Ints, Numbers[str]]:
        return coded(self.comparison, "deprel", lambda name: name.split(":")[0])

    @property
    def key_relation(self) -> Ints:
        return self._relations[0]

    @property
    def response_relation(self) -> Ints:
        return self._relations[1]

    def _among(self, relations: Ints, names: frozenset[str]) -> Mask:
        return np.array([name in names for name in self._relations[2]] or [False])[relations]

    @cached_property
    def key_content(self) -> Mask:
        return self._among(self.key_relation, CONTENT)

    @cached_property
    def response_content(self) -> Mask:
        return self._among(self.response_relation, CONTENT)

    @cached_property
    def heads(self) -> tuple[Ints, Ints]:
        """The head of each word of the key, and of each word of the response as a word of the key."""
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
    def judged(self) -> tuple[Mask, Mask]:
        """The words of key and response that count: all but those to which the key gives no head."""
        key, response = self.heads[0] != NO_HEAD, np.ones(len(self.comparison.words.side), bool)
        keys, responses = self.comparison.words.paired
        response[responses] = key[keys]
        return key, response

    @cached_property
    def relation_right(self) -> Mask:
        keys, responses = self.comparison.words.paired
        return np.asarray(self.key_relation[keys] == self.response_relation[responses])

    def functional_children_right(self, feats: Callable[[str], str]) -> Mask:
        """(pairs,): whether both words have the same functional words below them, with the same tags and features."""
        relations = self.key_relation, self.response_relation
        parts = [coded(self.comparison, "upos", str)[:2], coded(self.comparison, "feats", feats)[:2], relations]
        below: list[dict[int, list[tuple[int, ...]]]] = [{}, {}]
        sides = (np.arange(len(self.comparison.key)), _as_key_words(self.comparison))
        heads = _heads(self.comparison.key), _heads(self.comparison.words.side)
        for side, (found, word, head) in enumerate(zip(below, sides, heads, strict=True)):
            functional = np.flatnonzero(
                self._among(relations[side], FUNCTIONAL) & (head >= 0) & self.judged[side]
            ).tolist()
            columns = [part[side] for part in parts]
            for child in functional:
                seen = (int(word[child]), *(int(column[child]) for column in columns))
                found.setdefault(int(head[child]), []).append(seen)
        keys, responses = self.comparison.words.paired
        pairs = zip(keys.tolist(), responses.tolist(), strict=True)
        return np.array([below[0].get(key, []) == below[1].get(other, []) for key, other in pairs], bool)

    def counts(self, right: Mask, content: bool = False) -> Counts:
        """Words by unit, of which those `right` (of the pairs) are right; all of them, or content words only."""
        if not self.comparison.carries("heads"):
            return no_words(self.comparison)
        key, response = self.judged
        if content:
            key, response = key & self.key_content, response & self.response_content
        return counted(self.comparison, right, key, response)


def trees_of(comparison: Comparison) -> Trees:
    """The trees of a comparison, made once for all measures that look at them."""
    return comparison.kept("trees", lambda: Trees(comparison))


def _heads(side: Side) -> Ints:
    """The head of each word among all words of the side."""
    parts = [
        np.full(len(one), NO_HEAD) if one.heads is None else np.where(one.heads >= 0, one.heads + base, one.heads)
        for one, base in zip(side.documents, side.first.tolist(), strict=False)
    ]
    return np.concatenate([np.zeros(0, np.int64), *parts])


def _as_key_words(comparison: Comparison) -> Ints:
    """The key's word for each word of the response; a number of its own, which no word has, where there is none."""
    words = -10 - np.arange(len(comparison.words.side))
    words[comparison.words.paired[1]] = comparison.words.paired[0]
    return words
