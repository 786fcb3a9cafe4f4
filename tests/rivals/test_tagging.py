"""Tagged files made at random, through aune and through udtools: the same numbers, or a difference with its reason.

Key and response have the same characters, cut into other words, multiword tokens and sentences, under other trees. What
should not matter is varied: comments, line ends, empty nodes, the order of features, notes in the last columns.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aune

udeval = pytest.importorskip("udtools.udeval")

METRICS = {
    "ud_tokens": "Tokens", "ud_sentences": "Sentences", "ud_words": "Words", "upos": "UPOS", "xpos": "XPOS",
    "feats": "UFeats", "all_tags": "AllTags", "lemmas": "Lemmas", "uas": "UAS", "las": "LAS", "clas": "CLAS",
    "mlas": "MLAS", "blex": "BLEX", "elas": "ELAS", "eulas": "EULAS",
}  # fmt: skip
FEATURES = ["_", "Gender=Fem|Number=Sing", "Case=Nom", "Number=Sing|Typo=Yes"]
RELATIONS = ["nsubj", "nsubj:pass", "obj", "det", "case", "punct", "aux:pass", "flat"]


class Dress(NamedTuple):
    """How a file is written, which should not matter."""

    comments: bool
    line_end: str
    empty_nodes: bool
    reversed_features: bool
    notes: bool


DRESSES = st.builds(Dress, *(st.booleans() if n != 1 else st.sampled_from(["\n", "\r\n"]) for n in range(5)))


@st.composite
def cut_text(draw: st.DrawFn, text: str, most: int) -> list[str]:
    """A text in pieces of at most so many characters."""
    pieces, at = [], 0
    while at < len(text):
        size = draw(st.integers(1, most))
        pieces.append(text[at : at + size])
        at += size
    return pieces


@st.composite
def enhanced_edges(draw: st.DrawFn, size: int) -> list[str]:
    """The edges of a word: at most one from each head, for the rival counts two of them four times."""
    heads = draw(st.lists(st.integers(0, size), max_size=3, unique=True))
    edges = [f"{head}:{draw(st.sampled_from([*RELATIONS, 'conj:and>nsubj', 'conj>nsubj:pass']))}" for head in heads]
    return edges + (["1.1:obj"] if draw(st.booleans()) else [])


@st.composite
def files(draw: st.DrawFn, text: str) -> str:
    """A CoNLL-U file with this text."""
    dress = draw(DRESSES)
    lines: list[str] = []
    for sentence in draw(cut_text(text, 9)):
        lines += ["# sent_id = x", "# text = whatever"] if dress.comments else []
        tokens = draw(cut_text(sentence, 3))
        words: list[tuple[int, str]] = []  # the token of each word, and its form
        for number, token in enumerate(tokens):
            several = draw(st.integers(0, 4)) == 0
            forms = (
                draw(st.lists(st.sampled_from(["de", "le", "De", "a"]), min_size=2, max_size=3)) if several else [token]
            )
            words += [(number, form) for form in forms]
        order = draw(st.permutations(range(len(words))))
        heads = {order[0]: 0} | {
            word: order[draw(st.integers(0, rank - 1))] + 1 for rank, word in enumerate(order) if rank
        }
        for place, (token, form) in enumerate(words):
            inside = [index for index, (other, _) in enumerate(words) if other == token]
            if len(inside) > 1 and inside[0] == place:
                lines.append(f"{place + 1}-{inside[-1] + 1}\t{tokens[token]}" + "\t_" * 8)
            features = draw(st.sampled_from(FEATURES))
            if dress.reversed_features and features != "_":
                features = "|".join(reversed(features.split("|")))
            cells = [
                str(place + 1), form, draw(st.sampled_from(["_", "a", "b"])), draw(st.sampled_from(["NOUN", "VERB"])),
                draw(st.sampled_from(["_", "n"])), features, str(heads[place]),
                draw(st.sampled_from(RELATIONS)) if heads[place] else "root",
                "|".join(draw(enhanced_edges(len(words)))) or "_", "SpaceAfter=No" if dress.notes else "_",
            ]  # fmt: skip
            lines.append("\t".join(cells))
            if dress.empty_nodes and place == 0:
                lines.append("1.1\tx\tx\tVERB\t_\t_\t_\t_\t_\t_")
        lines.append("")
    return dress.line_end.join(lines) + dress.line_end


@st.composite
def pairs(draw: st.DrawFn) -> tuple[str, str]:
    text = draw(st.text("abcd", min_size=1, max_size=14))
    return draw(files(text)), draw(files(text))


def without_empty_nodes(text: str) -> str:
    """What the rival wants: it refuses empty nodes unless a tool has collapsed them."""
    return "\n".join(line for line in text.replace("\r\n", "\n").split("\n") if not line.startswith("1.1\t"))


def official(key: str, response: str) -> dict[str, Any]:
    sides = [udeval.load_conllu(io.StringIO(without_empty_nodes(text)), "file", {}) for text in (key, response)]
    result: dict[str, Any] = udeval.evaluate(*sides)
    return result


def ours(folder: Path, key: str, response: str, **options: Any) -> aune.Result:
    for name, text in (("key", key), ("response", response)):
        (folder / f"{name}.conllu").write_bytes(text.encode())
    paths = [str(folder / f"{name}.conllu") for name in ("key", "response")]
    return aune.score("tagging", *paths, measures=list(METRICS), **options)


@given(pairs())
@settings(max_examples=150)
def test_every_metric(tmp_path_factory: pytest.TempPathFactory, sides: tuple[str, str]) -> None:
    expected = official(*sides)
    found = ours(tmp_path_factory.mktemp("ud"), *sides)
    for measure, metric in METRICS.items():
        scored, rival_value = found[measure], expected[metric]
        correct = scored.counts["aligned" if measure == "ud_words" else "correct"]
        assert (correct, scored.counts["key"], scored.counts["response"]) == (
            rival_value.correct, rival_value.gold_total, rival_value.system_total,
        ), metric  # fmt: skip
        if scored.f1 is not None:
            assert scored.f1 == pytest.approx(rival_value.f1)


ROW = "1\tab\ta\tNOUN\t_\t_\t0\troot\t_\t_\n"
TWICE = ROW.removesuffix("_\t_\n") + "0:root|0:root\t_\n\n"
DIFFERENCES = {
    "nothing to compare is undefined here and 0 there": (
        "1\t.\t.\tPUNCT\t_\t_\t0\tpunct\t_\t_\n\n", "1\t.\t.\tPUNCT\t_\t_\t0\tpunct\t_\t_\n\n", "clas", None, 0.0,
    ),
    "texts that differ are realigned here and refused there": (
        f"{ROW}\n", f"{ROW.replace('ab', 'abs')}\n", "upos", 1.0, udeval.UDError,
    ),
    "several roots are compared word by word here and refused there": (
        f"{ROW}2\tc\tc\tNOUN\t_\t_\t1\tobj\t_\t_\n\n", f"{ROW}2\tc\tc\tNOUN\t_\t_\t0\troot\t_\t_\n\n", "las", 0.5,
        udeval.UDError,
    ),
    "a head outside the sentence is a wrong head here and refused there": (
        f"{ROW}\n", f"{ROW.replace(chr(9) + '0' + chr(9), chr(9) + '7' + chr(9))}\n", "uas", 0.0, udeval.UDError,
    ),
    "an edge that stands twice is matched twice here and four times there": (
TWICE, TWICE, "elas", 1.0, 2.0,
    ),
    "two blank lines end one sentence here and are refused there": (
        f"{ROW}\n\n", f"{ROW}\n\n", "ud_sentences", 1.0, udeval.UDError,
    ),
    "the last blank line may be missing here and not there": (f"{ROW}\n", ROW, "upos", 1.0, udeval.UDError),
}  # fmt: skip


@pytest.mark.parametrize("reason", DIFFERENCES)
def test_documented_differences(reason: str, tmp_path: Path) -> None:
    key, response, measure, here, place = DIFFERENCES[reason]
    result = ours(tmp_path, key, response)[measure]
    assert result[result.measure.headline] == here
    if isinstance(place, float):
        assert official(key, response)[METRICS[measure]].f1 == place
    else:
        with pytest.raises(place):
            official(key, response)
