"""Texts as their files have them, blanks included."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aune.errors import UsageError
from aune.reading.source import Source, file_source
from aune.workbench.files import export_file, texts
from aune.workbench.spacing import Follower, bare_text

SAMPLES = Path(__file__).parents[1] / "tasks"


@pytest.mark.parametrize(
    ("task", "name", "expected"),
    [
        ("coref", "muc-two.sgm", ["AT&T news\n\nThe AT&T Corp. said it hired a new president, Ann Lee.", "was 3 < 4."]),
        (
            "coref",
            "sacr-aesop.sacr",
            ["A Peasant found an Eagle caught in a trap, and set {him} free.", "L'aigle qu'il"],
        ),
        ("entities", "quaero-thesis.ne", ["La diaspora argentine\ns’est réunie à Paris .\nLa France a signé"]),
        ("entities", "muc_sgml-two.sgml", ["Mr. Harry Schearer of DARPA\nin July paid $5"]),
    ],
)
def test_a_text_is_shown_as_its_file_has_it(task: str, name: str, expected: list[str]) -> None:
    path = SAMPLES / task / "formats" / "samples" / name
    shown = texts(file_source(path), task, name.partition("-")[0])[0][0].characters
    for piece in expected:
        assert piece in shown


def test_the_text_lines_of_conllu_say_where_blanks_are() -> None:
    words = ["L'", "ami", "de", "le", "chat", ",", "lui", "!"]
    rows = "".join(f"{number}\t{word}\t_\tX\t_\t_\t0\tdep\t_\t_\n" for number, word in enumerate(words, 1))
    data = f"# newdoc id = a\n# global.Entity = eid-head\n# text = L'ami du chat, lui!\n{rows}\n"
    [(text, _)] = texts(Source("a.conllu", data.encode()), "coref", "corefud")
    assert text.characters == "L'ami de le chat, lui!"


def test_files_without_their_text_are_shown_as_a_typist_writes() -> None:
    assert bare_text(Source("a.conll", b"x"), "conll2012") == ""
    assert Follower("").gaps(["a", "b"]) == [None, None]


@given(st.lists(st.sampled_from(["a", "b", "ab", ",", "😀"]), max_size=12), st.text("ab, \n😀", max_size=30))
def test_whatever_the_text_every_word_has_its_gap(words: list[str], text: str) -> None:
    result = Follower(text).gaps(words)
    assert len(result) == len(words)
    assert set(result) <= {None, "", " ", "\n\n"}


@given(
    st.lists(
        st.tuples(st.sampled_from(["Ann", "saw", ",", "😀", "e\u0301"]), st.sampled_from(["", " ", "\n\n"])),
        max_size=12,
    )
)
def test_a_text_of_the_words_is_followed_to_its_end(pieces: list[tuple[str, str]]) -> None:
    text = "".join(gap + word for word, gap in pieces)
    assert Follower(text).gaps([word for word, _ in pieces]) == [gap for _, gap in pieces]


def test_states_of_another_text_are_not_put_into_a_file() -> None:
    path = SAMPLES / "coref" / "formats" / "samples" / "muc-two.sgm"
    (text, state), *_ = texts(file_source(path), "coref", "muc")
    remaining = {text.id: text.characters}
    assert (
        export_file(file_source(path), "coref", "muc", {text.id: state}, characters=remaining).data == path.read_bytes()
    )
    with pytest.raises(UsageError, match="open the file anew"):
        export_file(file_source(path), "coref", "muc", {text.id: state}, characters={text.id: "another"})
