"""Align the words of the response with the words of the key.

Both texts are aligned with the key's characters. The text is cut where both sides have a boundary. The pieces between
two common boundaries settle nearly everything: a piece with one plain token on each side is a pair. The words of a
multiword token (`du` for `de le`) have no position of their own. Inside the stretch that multiword tokens of either
side cover, words are therefore paired by the longest common subsequence of their forms in lower case.

Source: the alignment of the CoNLL 2018 shared task (Zeman et al. 2018, and the published description of its scorer),
whose pairs these are, ties included. It requires identical texts; here they are realigned if they differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from aune.alignment.folding import fold_text
from aune.evaluation.counting import ANY_NUMBER
from aune.numeric.arrays import Ints, Mask, Numbering, owner_indices, ranges
from aune.tasks.tagging.characters import bare, boundaries, text_of
from aune.tasks.tagging.model import CodedColumn, Document, concatenate

MIN_SIMILARITY = 0.5  # the similarity from which two words are variants of the same word


@dataclass(frozen=True)
class Side:
    """The words of one side of a chunk of documents, one after the other, aligned with the key's characters."""

    documents: Sequence[Document]
    words: CodedColumn
    document: Ints
    """(words,): the number of its document."""
    token: Ints
    """(words,): the number of its token in the chunk."""
    starts: Ints
    """(tokens,): the first character, in the key."""
    ends: Ints
    """(tokens,): the character after the last one."""
    multiword: Mask
    """(tokens,)"""
    first: Ints
    """(documents + 1,): the first word of each document."""

    def __len__(self) -> int:
        return len(self.token)

    def forms(self, first: int, after: int) -> list[str]:
        """The forms of some words."""
        return [self.words.names[code] for code in self.words.codes[first:after].tolist()]

    @property
    def word_starts(self) -> Ints:
        return self.starts[self.token]

    @property
    def word_ends(self) -> Ints:
        return self.ends[self.token]


class Difference(NamedTuple):
    """A document whose text differs between the sides."""

    document: str
    characters: int
    """The number of boundaries of the response without a unique position in the key."""


def sides(pairs: Sequence[tuple[Document, Document]]) -> tuple[Side, Side, list[Difference]]:
    """Both sides aligned with the characters of the key, and the documents whose texts differ."""
    keys, responses = [key for key, _ in pairs], [response for _, response in pairs]
    key, response = (text_of(concatenate([document.surface for document in side])) for side in (keys, responses))
    key_bounds, response_bounds = _bounds(keys), _bounds(responses)
    key_base, response_base = np.append(0, key.ends)[key_bounds], np.append(0, response.ends)[response_bounds]
    shift = np.repeat(key_base[:-1] - response_base[:-1], np.diff(response_bounds))
    starts, ends = starts_of(response.ends) + shift, response.ends + shift
    differing = []
    for index in _different(key.characters, response.characters, key_base, response_base):
        base, tokens = int(key_base[index]), slice(*response_bounds[index : index + 2])
        new_starts, new_ends, unplaced = _realign_tokens(
            key.characters[slice(*key_base[index : index + 2])],
            response.characters[slice(*response_base[index : index + 2])],
            key.ends[slice(*key_bounds[index : index + 2])] - base,
            starts[tokens] - base,
            ends[tokens] - base,
        )
        starts[tokens], ends[tokens] = new_starts + base, new_ends + base
        differing.append(Difference(keys[index].id, unplaced))
    words = concatenate([document.words for document in (*keys, *responses)])
    size = sum(map(len, keys))
    return (
        _build_side(keys, words.slice(0, size), starts_of(key.ends), key.ends, key_bounds),
        _build_side(responses, words.slice(size, len(words.codes)), starts, ends, response_bounds),
        differing,
    )


def has_same_text(key: Document, response: Document, sentences: int) -> bool:
    """Whether two parts of a text, with this many sentences of the key, have the same characters, and at least one."""
    if sentences not in (ANY_NUMBER, len(key.sentences)) or not len(key.surface.codes):
        return False
    words = key.surface.values(), response.surface.values()
    if words[0] == words[1]:
        return True
    return len({text_of(concatenate([document.surface])).characters for document in (key, response)}) == 1


def _bounds(documents: Sequence[Document]) -> Ints:
    """The first token of each document, followed by the number of all tokens."""
    return np.cumsum([0, *(len(document.surface.codes) for document in documents)])


def _different(key: str, response: str, key_base: Ints, response_base: Ints) -> list[int]:
    """The documents whose texts differ; a response without text needs no realignment."""
    if key == response and np.array_equal(key_base, response_base):
        return []
    places = zip(
        *(base.tolist() for base in (key_base[:-1], key_base[1:], response_base[:-1], response_base[1:])), strict=True
    )
    return [index for index, (a, b, c, d) in enumerate(places) if c < d and key[a:b] != response[c:d]]


def starts_of(ends: Ints) -> Ints:
    return np.concatenate([np.zeros(1, np.int64), ends])[: len(ends)].astype(np.int64)


def _realign_tokens(key: str, response: str, key_ends: Ints, starts: Ints, ends: Ints) -> tuple[Ints, Ints, int]:
    """The response's tokens on the key's characters; a boundary with several positions takes a boundary of the key."""
    places = boundaries(key, response)
    unplaced = int((places.lowest != places.highest).sum()) + abs(len(key) - len(response))
    edges = np.concatenate([[0], key_ends])
    edge_numbers = np.searchsorted(edges, places.lowest[ends])
    nearest = edges[np.minimum(edge_numbers, len(edges) - 1)]
    new_ends = np.where(nearest <= places.highest[ends], np.maximum(nearest, places.lowest[ends]), places.lowest[ends])
    edge_numbers = np.searchsorted(edges, places.highest[starts], "right") - 1
    nearest = edges[edge_numbers]
    new_starts = np.where(nearest >= places.lowest[starts], nearest, places.highest[starts])
    return new_starts, np.maximum(new_ends, new_starts), unplaced


def _build_side(documents: Sequence[Document], words: CodedColumn, starts: Ints, ends: Ints, bounds: Ints) -> Side:
    sizes = np.array([len(document) for document in documents], np.int64)
    token = np.arange(len(words.codes))
    multiword = np.zeros(len(starts), bool)
    first = np.append(0, np.cumsum(sizes))
    if any(document.owner is not None for document in documents):
        for index, document in enumerate(documents):
            owner = np.arange(len(document)) if document.owner is None else document.owner
            token[first[index] : first[index + 1]] = owner + bounds[index]
            if document.multiword is not None:
                multiword[bounds[index] : bounds[index + 1]] = document.multiword
    return Side(documents, words, owner_indices(sizes), token, starts, ends, multiword, first)


class Pieces(NamedTuple):
    """The words of a side that are in the key's text, in pieces between common boundaries."""

    side: Side
    words: Ints
    piece: Ints
    """(words,): the piece of each word."""
    size: Ints
    """(pieces,): the number of words."""
    first: Ints
    """(pieces,): the index of the first word."""
    forms: Ints
    """(words of the side,): the forms in lower case, as numbers."""

    @property
    def multiword(self) -> Mask:
        """(pieces,): whether any word belongs to a multiword token."""
        is_multiword = self.side.multiword[self.side.token[self.words]]
        return np.asarray(np.bincount(self.piece, is_multiword, len(self.size)) > 0)

    def members(self, chosen: Mask) -> Ints:
        """The words in the chosen pieces."""
        return self.words[ranges(self.first[chosen], self.size[chosen])]

    def run(self, start: int, end: int) -> Ints:
        """The words of consecutive pieces."""
        return self.words[self.first[start] : self.first[end - 1] + self.size[end - 1]]

    def in_one_multiword(self, words: Ints, piece: Ints) -> Mask:
        """Whether each word belongs to the token that begins its piece, and that token is a multiword one."""
        token = self.side.token[words]
        return np.asarray((token == self.side.token[self.words[self.first[piece]]]) & self.side.multiword[token])


def paired_words(key: Side, response: Side) -> tuple[Ints, Ints]:
    """The words of key and response that correspond, in order."""
    placed = np.flatnonzero(
        response.word_ends > response.word_starts
    )  # other tokens consist of characters that the key lacks
    cuts, (key_forms, response_forms) = _common_boundaries(key, response), _lower_forms(key, response)
    key_pieces, response_pieces = (
        _pieces(key, np.arange(len(key)), cuts, key_forms),
        _pieces(response, placed, cuts, response_forms),
    )
    multi = key_pieces.multiword | response_pieces.multiword
    plain = (key_pieces.size == 1) & (response_pieces.size == 1) & ~multi
    keys, responses = key_pieces.members(plain), response_pieces.members(plain)
    same = _same_place(key, response, keys, responses)
    clean = np.zeros(len(plain), bool)
    clean[np.flatnonzero(plain)[same]] = True
    equal = _same_words(key_pieces, response_pieces, multi)
    unsettled = multi & ~equal | (equal & _after_unclean(clean | equal | (key_pieces.size + response_pieces.size == 0)))
    settled = equal & ~unsettled
    pairings = [
        (keys[same], responses[same]),
        (key_pieces.members(settled), response_pieces.members(settled)),
        _pair_runs(key_pieces, response_pieces, clean | settled, unsettled),
    ]
    keys, responses = (np.concatenate(part) for part in zip(*pairings, strict=True))
    order = np.argsort(keys, kind="stable")
    return keys[order], responses[order]


def _pieces(side: Side, words: Ints, cuts: Ints, forms: Ints) -> Pieces:
    piece = np.searchsorted(cuts, side.word_starts[words], "right")
    size = np.bincount(piece, minlength=len(cuts) + 1)
    return Pieces(side, words, piece, size, starts_of(np.cumsum(size)), forms)


def _same_place(key: Side, response: Side, keys: Ints, responses: Ints) -> Mask:
    """Whether the words of each pair cover the same characters."""
    starts = key.word_starts[keys] == response.word_starts[responses]
    return np.asarray(starts & (key.word_ends[keys] == response.word_ends[responses]))


def related_pairs(key: Side, response: Side, paired: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    """The pairs whose words are similar; if texts differ, different words can cover the same place."""
    keys, responses = paired
    key_codes, response_codes = key.words.codes[keys], response.words.codes[responses]
    cells, inverse = np.unique(key_codes * max(len(key.words.names), 1) + response_codes, return_inverse=True)
    pairs = zip(*(part.tolist() for part in np.divmod(cells, max(len(key.words.names), 1))), strict=True)
    names = key.words.names
    alike = np.array(
        [
            key_code == response_code or is_related(names[key_code], names[response_code])
            for key_code, response_code in pairs
        ]
        or [True]
    )
    good = alike[inverse] if len(inverse) else np.zeros(0, bool)
    return keys[good], responses[good]


def is_related(first: str, second: str) -> bool:
    """Whether two words can be variants of one: at least half alike, ignoring spacing, case and accents.

    >>> is_related("chat", "chats"), is_related("l’", "l'"), is_related("chat", "lune")
    (True, True, False)
    """
    from rapidfuzz.distance import Levenshtein  # noqa: PLC0415 - only texts that differ need it

    left, right = (bare(fold_text(word).characters) for word in (first, second))
    return left == right or Levenshtein.normalized_similarity(left, right) >= MIN_SIMILARITY


def _common_boundaries(key: Side, response: Side) -> Ints:
    """The positions where a token of the key starts and no token of the response continues."""
    length = int(key.ends[-1]) if len(key.ends) else 0
    change = np.bincount(np.minimum(response.starts + 1, length + 1), minlength=length + 2) - np.bincount(
        np.maximum(response.ends, response.starts + 1).clip(max=length + 1), minlength=length + 2
    )
    inside = np.cumsum(change)[: length + 1] > 0
    starts = key.starts[np.diff(key.starts, prepend=-1) > 0]
    return np.asarray(starts[~inside[starts]])


def _lower_forms(key: Side, response: Side) -> tuple[Ints, Ints]:
    """The forms of the words in lower case, as numbers."""
    numbers: Numbering[str] = Numbering()
    lower = numbers.codes(map(str.lower, key.words.names))
    return lower[key.words.codes], lower[response.words.codes]


def _same_words(key: Pieces, response: Pieces, multi: Mask) -> Mask:
    """The pieces that are one multiword token on each side, for the same words."""
    alike = multi & (key.size == response.size) & (key.size > 0)
    keys, responses = key.members(alike), response.members(alike)
    piece = np.repeat(np.flatnonzero(alike), key.size[alike])
    fits = (
        (key.forms[keys] == response.forms[responses])
        & _same_place(key.side, response.side, keys, responses)
        & key.in_one_multiword(keys, piece)
        & response.in_one_multiword(responses, piece)
    )
    alike[piece[~fits]] = False
    return np.asarray(alike)


def _after_unclean(clean: Mask) -> Mask:
    """Pieces after a piece in which one side was left behind: a multiword stretch then begins with its words."""
    return np.asarray(np.concatenate([np.zeros(1, bool), ~clean[:-1]]))


def _pair_runs(key: Pieces, response: Pieces, clean: Mask, multi: Mask) -> tuple[Ints, Ints]:
    """The pairs in runs of pieces that are not clean and contain a multiword token, found word by word."""
    keys: list[int] = []
    responses: list[int] = []
    edges = np.flatnonzero(np.diff(np.concatenate([[True], clean, [True]]).astype(np.int8)))
    for start, end in edges.reshape(-1, 2).tolist():
        if not multi[start:end].any():
            continue
        key_words, response_words = key.run(start, end), response.run(start, end)
        for key_place, response_place in _pair_words(_plain(key, key_words), _plain(response, response_words)):
            keys.append(int(key_words[key_place]))
            responses.append(int(response_words[response_place]))
    return np.array(keys, np.int64), np.array(responses, np.int64)


class Word(NamedTuple):
    """A word in the form that `_pair_words` uses."""

    start: int
    end: int
    multiword: bool
    form: int


def _plain(pieces: Pieces, words: Ints) -> list[Word]:
    side, token = pieces.side, pieces.side.token[words]
    columns = (side.starts[token], side.ends[token], side.multiword[token], pieces.forms[words])
    return [Word(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]


def _pair_words(key: Sequence[Word], response: Sequence[Word]) -> list[tuple[int, int]]:
    """Pairs along two runs of words: by position outside multiword stretches, by form inside them.

    A stretch begins as soon as either side is at a multiword token. If the other side is behind, one of its words
    is skipped, and further ones belong to the stretch. (The reference scorer does the same; ties depend on it.)
    """
    pairs = []
    k = r = 0
    while k < len(key) and r < len(response):
        if key[k].multiword or response[r].multiword:
            k_start, r_start, k, r = _stretch(key, response, k, r)
            inside = _common_subsequence([w.form for w in key[k_start:k]], [w.form for w in response[r_start:r]])
            pairs += [(k_start + key_place, r_start + response_place) for key_place, response_place in inside]
        elif key[k][:2] == response[r][:2]:
            pairs.append((k, r))
            k, r = k + 1, r + 1
        elif key[k].start <= response[r].start:
            k += 1
        else:
            r += 1
    return pairs


def _stretch(key: Sequence[Word], response: Sequence[Word], k: int, r: int) -> tuple[int, int, int, int]:
    """The words of a multiword stretch: start in key and response, then end in key and response."""
    if key[k].multiword:
        end = key[k].end
        r += not response[r].multiword and response[r].start < key[k].start
    else:
        end = response[r].end
        k += key[k].start < response[r].start
    k_start, r_start = k, r

    def outside(words: Sequence[Word], index: int) -> bool:
        if index >= len(words):
            return True
        return words[index].start >= end if words[index].multiword else words[index].end > end

    while not (outside(key, k) and outside(response, r)):
        key_next = k < len(key) and (r >= len(response) or key[k].start <= response[r].start)
        word = key[k] if key_next else response[r]
        end = max(end, word.end) if word.multiword else end
        k, r = (k + 1, r) if key_next else (k, r + 1)
    return k_start, r_start, k, r


def _common_subsequence(left: Sequence[int], right: Sequence[int]) -> list[tuple[int, int]]:
    """The pairs of a longest common subsequence; among equals, `left` is skipped first."""
    lengths = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i in reversed(range(len(left))):
        for j in reversed(range(len(right))):
            matched = lengths[i + 1][j + 1] + 1 if left[i] == right[j] else 0
            lengths[i][j] = max(matched, lengths[i + 1][j], lengths[i][j + 1])
    pairs = []
    i = j = 0
    while i < len(left) and j < len(right):
        if left[i] == right[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif lengths[i][j] == lengths[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs
