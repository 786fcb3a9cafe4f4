"""From tag sequences to spans: IOB1, IOB2, IOE1, IOE2, BIOES and BILOU, all tokens at once.

One rule reads them all, that of conlleval: an entity starts at a tag that is not O when the token before is outside,
has another label or closes an entity, or when the tag itself opens one (B, S, U). Where a sequence is illegal in its
scheme (an I- that starts an entity in IOB2, say), the repair has a name:

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

from aune.core.arrays import Ints, Mask, Numbers

Repair: TypeAlias = Annotated[
    Literal["conlleval", "discard", "error"], "what happens to entities with illegal tag sequences"
]
Scheme: TypeAlias = Annotated[
    Literal["auto", "IOB1", "IOB2", "IOE1", "IOE2", "BIOES", "BILOU", "IO"], "the tagging scheme; auto: detected"
]
OUTSIDE = ("O", "_", "-")
LEGAL = ("IOE2", "IOE1", "IOB2", "IOB1")  # the schemes that are told apart by what they allow
AT_EDGES = ("IOE1", "IOB1")  # those in which a tag depends on the entity beside
BEGIN, OUT, SINGLE, END, INSIDE = range(5)  # the first three continue nothing, the middle three are not continued
PREFIXES = {"B": BEGIN, "I": INSIDE, "M": INSIDE, "E": END, "L": END, "S": SINGLE, "U": SINGLE}


def tag_numbers(tags: Iterable[str], size: int) -> tuple[list[str], Ints]:
    """The distinct tags, and the number of each tag among them."""
    numbers: Numbers[str] = Numbers()
    codes = numbers.of(tags, size)
    return list(numbers), codes


class Decoded(NamedTuple):
    """The spans of a tag sequence."""

    spans: Ints
    labels: Ints
    names: list[str]
    scheme: str
    illegal: Ints
    """The first token of each entity with a sequence that is illegal in the scheme."""
    unreadable: list[int]
    """The numbers of the tags that are no tag at all."""


def decoded(
    codes: Ints, tags: Sequence[str], sentences: Ints, scheme: str = "auto", repair: str = "conlleval",
    asked: Callable[[set[str]], Collection[str]] | None = None,
) -> Decoded:  # fmt: skip
    """The spans behind the tags `tags[codes]`; `sentences` are the first tokens of the sentences.

    `asked` is given what speaks for and against schemes here, and gives what does so in the whole file.

    >>> decoded(np.array([0, 1, 2, 1]), ["B-A", "I-A", "O"], np.array([0])).spans.tolist()
    [[0, 2], [3, 4]]
    """
    prefixes, names, of_tag, unreadable = parsed(tuple(tags), scheme)
    prefix, label = prefixes[codes], of_tag[codes]
    begin, end, first = bounds(prefix, label, sentences)
    found, broken = scheme, dict[str, Mask]()
    if scheme == "auto":
        seen, broken = evidence(prefix, label, begin, end, tags, thorough=asked is not None)
        found = detected(asked(seen) if asked else seen)
    legal = np.ones(len(begin), bool)
    if scheme != "auto" or found not in ("IOB2", "IOE2"):
        legal = legality(prefix, label, begin, end, found, first)
    elif found in broken:
        legal = ~broken[found]
    spans, labels = np.column_stack((begin, end)), label[begin]
    if repair == "discard":
        spans, labels = spans[legal], labels[legal]
    return Decoded(spans, labels, names, found, begin[~legal], unreadable)


def bounds(prefix: NDArray[Any], label: Ints, sentences: Ints) -> tuple[Ints, Ints, Mask]:
    """Where entities begin and end, by the rule of conlleval; and which tokens begin a sentence."""
    first = np.zeros(len(prefix) + 1, bool)
    first[sentences] = True
    edges = first.copy()  # where an entity cannot go on; behind the last token too
    edges[-1] = True
    edges[:-1] |= prefix <= SINGLE
    edges[1:-1] |= ((prefix >= OUT) & (prefix <= END))[:-1] | (label[1:] != label[:-1])
    places = np.flatnonzero(edges)
    inside = prefix[places[:-1]] != OUT
    return places[:-1][inside], places[1:][inside], first[:-1]


@lru_cache(64)
def parsed(tags: tuple[str, ...], scheme: str) -> tuple[NDArray[Any], list[str], Ints, list[int]]:
    """For each tag what its prefix does and the number of its label; the labels; and the tags that cannot be read."""
    prefixes, labels, unreadable = [], [], []
    numbers: Numbers[str] = Numbers()
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


def evidence(
    prefix: NDArray[Any], label: Ints, begin: Ints, end: Ints, tags: Sequence[str], *, thorough: bool
) -> tuple[set[str], dict[str, Mask]]:
    """The letters that tags begin with, and the schemes that they break; `IOB1?` where they do so at the edges alone.

    With the entities that break each of them. What stands at an edge may be legal when more of the text is seen. Unless
    it is to be thorough, it goes no further than to the first scheme that the tags do not break.
    """
    found = {tag[0] for tag in tags if tag not in OUTSIDE and tag}
    nothing = np.zeros(len(prefix), bool)
    breaking = {}
    for scheme in LEGAL if thorough else LEGAL[:2] if "E" in found else LEGAL[2:]:
        broken = ~legality(prefix, label, begin, end, scheme, nothing)
        if broken.any():
            breaking[scheme] = broken
            surely = scheme not in AT_EDGES or (broken & (begin > 0) & (end < len(prefix))).any()
            found.add(scheme if surely else f"{scheme}?")
        elif not thorough:
            break
    return found, breaking


def detected(found: Collection[str]) -> str:
    """The scheme that the tags are in: the one under which all is legal, or the nearest."""
    if "L" in found or "U" in found:
        return "BILOU"
    if "S" in found or "M" in found or ("B" in found and "E" in found):
        return "BIOES"
    for candidate in ("IOE2", "IOE1") if "E" in found else ("IOB2", "IOB1"):
        if candidate not in found and f"{candidate}?" not in found:
            return candidate
    return "IOE1" if "E" in found else "IOB2" if "B" in found else "IOB1"


def is_doubtful(found: Collection[str]) -> bool:
    """Whether it may depend on the edges of a piece which scheme the tags are in."""
    tried = ("IOE2", "IOE1") if "E" in found else ("IOB2", "IOB1")
    return tried[0] in found and tried[1] not in found and f"{tried[1]}?" in found


def legality(prefix: NDArray[Any], label: Ints, begin: Ints, end: Ints, scheme: str, first: Mask) -> NDArray[Any]:
    """Which entities have a tag sequence that is legal in the scheme."""
    opening, closing, single = prefix[begin], prefix[end - 1], end - begin == 1
    edge = len(prefix)  # strictly inside an entity there is I alone: any other tag begins or ends one
    if scheme == "IOB2":
        return np.asarray((opening == BEGIN) & ((closing == INSIDE) | single))
    if scheme == "IOE2":
        return np.asarray((closing == END) & ((opening == INSIDE) | single))
    if scheme in ("BIOES", "BILOU"):
        return np.asarray(np.where(single, opening == SINGLE, (opening == BEGIN) & (closing == END)))
    touching = np.zeros(len(begin), bool)  # whether an entity of the same label ends where this one begins
    touching[1:] = (end[:-1] == begin[1:]) & (label[begin[1:]] == label[begin[:-1]]) & ~first[begin[1:]]
    if scheme == "IOE1":
        followed = np.append(touching[1:], False)
        return np.asarray((opening != BEGIN) & ((closing == INSIDE) | ((closing == END) & followed & (end < edge))))
    plain = (closing != END) & (opening != END) & (opening != SINGLE)
    return np.asarray(plain & ((opening == INSIDE) | touching) if scheme == "IOB1" else plain)
