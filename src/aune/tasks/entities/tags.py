"""Decode tag sequences into spans: IOB1, IOB2, IOE1, IOE2, BIOES and BILOU, all tokens at once.

All schemes are read by one rule, that of conlleval: an entity starts at a tag that is not O when the token before is
outside, has another label or closes an entity, or when the tag itself opens one (B, S, U). If a sequence is illegal in
its scheme (an I- that starts an entity in IOB2, say), one of these repairs applies:

    conlleval   the rule above decides (the default)
    discard     an entity with an illegal sequence is left out
    error       illegal sequences are problems of the file
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from aune.numeric.arrays import Ints, Mask, Numbering

Repair: TypeAlias = Annotated[
    Literal["conlleval", "discard", "error"], "what happens to entities with illegal tag sequences"
]
Scheme: TypeAlias = Annotated[
    Literal["auto", "IOB1", "IOB2", "IOE1", "IOE2", "BIOES", "BILOU", "IO"], "the tagging scheme; auto: detected"
]
OUTSIDE = ("O", "_", "-")
TESTED_SCHEMES = ("IOE2", "IOE1", "IOB2", "IOB1")  # schemes that are detected by what they allow
EDGE_SCHEMES = ("IOE1", "IOB1")  # schemes in which a tag depends on the adjacent entity
BEGIN, OUT, SINGLE, END, INSIDE = range(5)  # the first three continue nothing, the middle three are not continued
PREFIXES = {"B": BEGIN, "I": INSIDE, "M": INSIDE, "E": END, "L": END, "S": SINGLE, "U": SINGLE}


def tag_numbers(tags: Iterable[str], size: int) -> tuple[list[str], Ints]:
    """The distinct tags, and the number of each tag among them."""
    numbers: Numbering[str] = Numbering()
    codes = numbers.codes(tags, size)
    return list(numbers), codes


class DecodedTags(NamedTuple):
    """The spans of a tag sequence, and its problems."""

    spans: Ints
    labels: Ints
    names: list[str]
    scheme: str
    illegal: Ints
    """The first token of each entity whose sequence is illegal in the scheme."""
    unreadable: list[int]
    """The numbers of the tags that cannot be parsed."""


def decode_tags(
    codes: Ints, tags: Sequence[str], sentences: Ints, scheme: str = "auto", repair: str = "conlleval",
    collect_evidence: Callable[[set[str]], Collection[str]] | None = None,
) -> DecodedTags:  # fmt: skip
    """Decode the tags `tags[codes]`; `sentences` are the first tokens of the sentences.

    `asked` receives the evidence for and against schemes here, and returns the evidence in the whole file.

    >>> decode_tags(np.array([0, 1, 2, 1]), ["B-A", "I-A", "O"], np.array([0])).spans.tolist()
    [[0, 2], [3, 4]]
    """
    prefixes, names, tag_labels, unreadable = parse_tags(tuple(tags), scheme)
    prefix, label = prefixes[codes], tag_labels[codes]
    begin, end, first = entity_bounds(prefix, label, sentences)
    detected_scheme, broken = scheme, dict[str, Mask]()
    if scheme == "auto":
        signs, broken = scheme_evidence(prefix, label, begin, end, tags, thorough=collect_evidence is not None)
        detected_scheme = detect_scheme(collect_evidence(signs) if collect_evidence else signs)
    legal = np.ones(len(begin), bool)
    if scheme != "auto" or detected_scheme not in ("IOB2", "IOE2"):
        legal = legality(prefix, label, begin, end, detected_scheme, first)
    elif detected_scheme in broken:
        legal = ~broken[detected_scheme]
    spans, labels = np.column_stack((begin, end)), label[begin]
    if repair == "discard":
        spans, labels = spans[legal], labels[legal]
    return DecodedTags(spans, labels, names, detected_scheme, begin[~legal], unreadable)


def entity_bounds(prefix: NDArray[Any], label: Ints, sentences: Ints) -> tuple[Ints, Ints, Mask]:
    """Where entities begin and end, by the rule of conlleval; and a mask of the first tokens of sentences."""
    first = np.zeros(len(prefix) + 1, bool)
    first[sentences] = True
    edges = first.copy()  # positions that no entity crosses, including the end of the text
    edges[-1] = True
    edges[:-1] |= prefix <= SINGLE
    edges[1:-1] |= ((prefix >= OUT) & (prefix <= END))[:-1] | (label[1:] != label[:-1])
    places = np.flatnonzero(edges)
    inside = prefix[places[:-1]] != OUT
    return places[:-1][inside], places[1:][inside], first[:-1]


@lru_cache(64)
def parse_tags(tags: tuple[str, ...], scheme: str) -> tuple[NDArray[Any], list[str], Ints, list[int]]:
    """For each tag the role of its prefix and the number of its label; the labels; and the tags that are unreadable."""
    prefixes, labels, unreadable = [], [], []
    numbers: Numbering[str] = Numbering()
    for number, tag in enumerate(tags):
        prefix, dash, label = tag.partition("-")
        if tag in OUTSIDE:
            prefixes.append(OUT)
            labels.append(-1)
        elif scheme == "IO" and prefix not in ("I", "B"):
            prefixes.append(INSIDE)
            labels.append(numbers[tag])
        elif prefix in PREFIXES and (label or not dash):
            prefixes.append(PREFIXES[prefix])
            labels.append(numbers[label or "_"])
        else:
            unreadable.append(number)
            prefixes.append(OUT)
            labels.append(-1)
    return np.asarray(prefixes, np.int8), list(numbers), np.asarray(labels, np.int64), unreadable


def scheme_evidence(
    prefix: NDArray[Any], label: Ints, begin: Ints, end: Ints, tags: Sequence[str], *, thorough: bool
) -> tuple[set[str], dict[str, Mask]]:
    """The initial letters of the tags and the violated schemes, with `IOB1?` for violations only at the edges.

    Also returned: a mask of the entities that violate each scheme. A violation at an edge may be legal once more text
    is known. Unless `thorough` is set, the search stops at the first scheme that is not violated.
    """
    signs = {tag[0] for tag in tags if tag not in OUTSIDE and tag}
    nothing = np.zeros(len(prefix), bool)
    breaking = {}
    for scheme in TESTED_SCHEMES if thorough else TESTED_SCHEMES[:2] if "E" in signs else TESTED_SCHEMES[2:]:
        broken = ~legality(prefix, label, begin, end, scheme, nothing)
        if broken.any():
            breaking[scheme] = broken
            surely = scheme not in EDGE_SCHEMES or (broken & (begin > 0) & (end < len(prefix))).any()
            signs.add(scheme if surely else f"{scheme}?")
        elif not thorough:
            break
    return signs, breaking


def detect_scheme(signs: Collection[str]) -> str:
    """The scheme of the tags: the one under which all entities are legal, or else the nearest."""
    if "L" in signs or "U" in signs:
        return "BILOU"
    if "S" in signs or "M" in signs or ("B" in signs and "E" in signs):
        return "BIOES"
    for candidate in ("IOE2", "IOE1") if "E" in signs else ("IOB2", "IOB1"):
        if candidate not in signs and f"{candidate}?" not in signs:
            return candidate
    return "IOE1" if "E" in signs else "IOB2" if "B" in signs else "IOB1"


def is_doubtful(signs: Collection[str]) -> bool:
    """Whether the detected scheme may depend on how the text was cut into pieces."""
    tried = ("IOE2", "IOE1") if "E" in signs else ("IOB2", "IOB1")
    return tried[0] in signs and tried[1] not in signs and f"{tried[1]}?" in signs


def legality(prefix: NDArray[Any], label: Ints, begin: Ints, end: Ints, scheme: str, first: Mask) -> NDArray[Any]:
    """A mask of the entities whose tag sequence is legal in the scheme."""
    opening, closing, single = prefix[begin], prefix[end - 1], end - begin == 1
    edge = len(prefix)  # an entity has only I strictly inside: any other tag begins or ends one
    if scheme == "IOB2":
        return np.asarray((opening == BEGIN) & ((closing == INSIDE) | single))
    if scheme == "IOE2":
        return np.asarray((closing == END) & ((opening == INSIDE) | single))
    if scheme in ("BIOES", "BILOU"):
        return np.asarray(np.where(single, opening == SINGLE, (opening == BEGIN) & (closing == END)))
    touching = np.zeros(len(begin), bool)  # whether an entity with the same label ends where this one begins
    touching[1:] = (end[:-1] == begin[1:]) & (label[begin[1:]] == label[begin[:-1]]) & ~first[begin[1:]]
    if scheme == "IOE1":
        followed = np.append(touching[1:], False)
        return np.asarray((opening != BEGIN) & ((closing == INSIDE) | ((closing == END) & followed & (end < edge))))
    plain = (closing != END) & (opening != END) & (opening != SINGLE)
    return np.asarray(plain & ((opening == INSIDE) | touching) if scheme == "IOB1" else plain)
