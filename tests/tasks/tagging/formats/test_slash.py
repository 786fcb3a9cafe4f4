"""Slash-tagged text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aune.errors import InputError, UsageError
from aune.reading.source import Source
from aune.tasks.tagging.formats.slash import read, sniff, write
from aune.tasks.tagging.model import Document
from aune.tasks.tagging.model import make_document as made


def documents(text: str, **options: str) -> list[Document]:
    source = Source("x.pos", text.encode())
    result = list(read(source, **options))  # type: ignore[arg-type]
    source.raise_problems()
    return result


def test_words_and_tags() -> None:
    [document] = documents("le/D chat/N|V\n\n1\\/2/NUM km/h/N\n")
    assert document.words.values() == ["le", "chat", "1/2", "km/h"]
    assert document.columns["tag"].values() == ["D", "N|V", "NUM", "N"] and document.sentences.tolist() == [0, 2]


def test_another_separator_and_documents() -> None:
    first, second = documents("# newdoc id = a\nle_D\n# newdoc id = b\nla_D\n", separator="_", documents="newdoc")
    assert (first.id, second.words.values()) == ("a", ["la"])
    with pytest.raises(UsageError, match="expected one character"):
        documents("a/N", separator="//")


WORDS = st.lists(
    st.tuples(st.text("ab/\\ |é_", min_size=1).filter(str.strip), st.sampled_from(["N", "V|N", "a/b"])), min_size=1
)


@given(WORDS)
def test_it_reads_what_it_writes(words: list[tuple[str, str]]) -> None:
    given_words = [" ".join(word.split()) for word, _ in words]
    item = made("x", given_words, {"tag": [tag for _, tag in words]})
    [again] = documents("".join(write([item])))
    assert again.words.values() == given_words
    assert again.columns["tag"].values() == [tag for _, tag in words]


def test_recognised() -> None:
    assert sniff("le/D chat/N\n") and not sniff("le chat/N\n") and not sniff('{"words": ["a/b"]}') and not sniff("")


def test_what_is_wrong() -> None:
    with pytest.raises(InputError) as error:
        documents("le/D chat\n/N a/\n")
    assert str(error.value).split("\n") == [
        "x.pos:1:6: found 'chat', expected 'word/tag': write both",
        "x.pos:2:1: found '/N', expected 'word/tag': write both",
        "x.pos:2:4: found 'a/', expected 'word/tag': write both",
    ]
