"""The CoNLL 2018 figures once more, slow and obvious: words are the same where they cover the same characters.

Documents are lists of words as `aune` takes them, in one sentence, without multiword tokens.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hypothesis import strategies as st

Row = dict[str, Any]
CONTENT = (
    "nsubj obj iobj csubj ccomp xcomp obl vocative expl dislocated advcl advmod discourse nmod appos nummod acl amod "
    "conj fixed flat compound list parataxis orphan goeswith reparandum root dep"
)
FUNCTION = "aux cop mark det clf case cc"
UNIVERSAL = {"Gender", "Number", "Case"}  # those of the universal list that the strategy below draws


class Figures(NamedTuple):
    """What the scorer counts for a metric."""

    correct: int
    aligned: int
    key: int
    response: int


def places(words: list[Row]) -> list[tuple[int, int]]:
    result, at = [], 0
    for word in words:
        result.append((at, at + len(word["form"])))
        at += len(word["form"])
    return result


def relation(word: Row) -> str:
    return str(word["deprel"]).split(":")[0]


def features(word: Row) -> list[str]:
    return sorted(pair for pair in word["feats"].split("|") if pair.split("=")[0] in UNIVERSAL)


def figures(metric: str, key: list[Row], response: list[Row]) -> Figures:
    left, right = places(key), places(response)
    same = {right.index(place): number for number, place in enumerate(left) if place in right}  # response → key

    def head_in_key(word: Row) -> Any:
        return "root" if word["head"] == 0 else same.get(word["head"] - 1, "nowhere")

    def below(words: list[Row], number: int, as_key: Any) -> list[Any]:
        return [
            (as_key(index), relation(word), word["upos"], features(word))
            for index, word in enumerate(words)
            if word["head"] - 1 == number and relation(word) in FUNCTION.split()
        ]

    def right_word(number: int, partner: int) -> bool:
        first, other = key[number], response[partner]
        head = ("root" if first["head"] == 0 else first["head"] - 1) == head_in_key(other)
        pair = head and relation(first) == relation(other)
        lemma = first["lemma"] in ("_", other["lemma"])
        tags = first["upos"] == other["upos"] and features(first) == features(other)
        children = below(key, number, int) == below(response, partner, lambda index: same.get(index, "nowhere"))
        return {
            "uas": head,
            "las": pair,
            "clas": pair,
            "blex": pair and lemma,
            "mlas": pair and tags and children,
            "upos": first["upos"] == other["upos"],
            "xpos": first["xpos"] == other["xpos"],
            "feats": features(first) == features(other),
            "lemmas": lemma,
            "all_tags": tags and first["xpos"] == other["xpos"],
        }[metric]

    content = metric in ("clas", "mlas", "blex")
    counted = [not content or relation(word) in CONTENT.split() for word in key]
    aligned = [(number, partner) for partner, number in same.items() if counted[number]]
    return Figures(
        sum(right_word(number, partner) for number, partner in aligned),
        len(aligned),
        sum(counted),
        sum(not content or relation(word) in CONTENT.split() for word in response),
    )


@st.composite
def sentences(draw: st.DrawFn, text: str) -> list[Row]:
    """A text cut into words at random, under a random tree."""
    cuts = [at for at in range(1, len(text)) if draw(st.integers(0, 2))]
    bounds = [0, *cuts, len(text)]
    size = len(bounds) - 1
    order = draw(st.permutations(range(size)))
    heads = {order[0]: 0}
    for rank, word in enumerate(order[1:], 1):
        heads[word] = order[draw(st.integers(0, rank - 1))] + 1
    rows = []
    for number in range(size):
        rows.append({
            "form": text[bounds[number] : bounds[number + 1]],
            "upos": draw(st.sampled_from(["NOUN", "VERB", "DET"])),
            "xpos": draw(st.sampled_from(["n", "v"])),
            "feats": draw(st.sampled_from(["_", "Gender=Fem", "Case=Nom|Number=Sing", "Number=Sing|Typo=Yes"])),
            "lemma": draw(st.sampled_from(["a", "b", "_"])),
            "head": heads[number],
            "deprel": "root" if not heads[number] else draw(
                st.sampled_from(["nsubj", "nsubj:pass", "obj", "det", "case", "punct", "aux:pass"])),
        })  # fmt: skip
    return rows


@st.composite
def pairs(draw: st.DrawFn) -> tuple[list[Row], list[Row]]:
    text = draw(st.text("abcd", min_size=1, max_size=9))
    key = draw(sentences(text))
    if draw(st.booleans()):
        return key, [{**word, **draw(changes)} for word in key]
    return key, draw(sentences(text))


changes = st.fixed_dictionaries({}, optional={
    "upos": st.just("VERB"), "xpos": st.just("v"), "lemma": st.just("a"), "deprel": st.sampled_from(["nsubj", "det"]),
    "feats": st.just("Gender=Fem"),
})  # fmt: skip


def enhanced_figures(key: list[Row], response: list[Row], *, sub_types: bool) -> dict[str, int]:
    """Edges of the enhanced graphs, each response edge matched with one of the key."""
    left, right = places(key), places(response)
    same = {right.index(place): number for number, place in enumerate(left) if place in right}

    def edges(words: list[Row], as_key: Any) -> list[Any]:
        return [
            (as_key(number), "root" if head == "0" else as_key(int(head) - 1), path if sub_types else plain(path))
            for number, word in enumerate(words)
            for head, _, path in (part.partition(":") for part in word["deps"].split("|") if part != "_")
        ]

    def plain(path: str) -> list[str]:
        return [step.split(":")[0] for step in path.split(">")]

    wanted, actual = edges(key, int), edges(response, lambda number: same.get(number, "nowhere"))
    remaining, correct = list(wanted), 0
    for edge in actual:
        if edge in remaining and "nowhere" not in edge[:2]:
            remaining.remove(edge)
            correct += 1
    return {"correct": correct, "key": len(wanted), "response": len(actual)}
