"""What is handed out holds nothing that participants are to find; what comes back is laid on it."""

from __future__ import annotations

from pathlib import Path

import pytest

from aune.campaign.keys.texts import STRIPPERS, check_task, make_texts, text_residues
from aune.contract import registry
from aune.errors import UsageError
from aune.reading.corpus import read
from aune.tasks.entities import model as entities
from aune.tasks.tagging.model import documents

KEYS = {
    "tagging": ("a.tsv", "Le\tCANARY\nchat\tCANARY\tB-CANARY\ndort\tCANARY\tI-CANARY\n\nIl\tCANARY\n"),
    "entities": ("a.conll", "Ann\tB-CANARY\nsleeps\tO\n\nParis\tB-CANARY\n"),
    "coref": (
        "a.jsonl",
        '{"doc_key":"a","sentences":[["Ann","met","her"]],"clusters":[[[0,0],[2,2]]],"kinds":[["CANARY","CANARY"]]}\n',
    ),
    "speech": ("a.jsonl", '{"id":"u1","text":"CANARY said","speaker":"ann","note":"CANARY","duration":"3"}\n'),
    "anaphora": (
        "a.jsonl",
        '{"document":"a","anaphors":[{"anaphor":"4","antecedents":["CANARY"],"candidates":["0","2"]}],"chains":[["4","CANARY"]]}\n',
    ),
}


@pytest.mark.parametrize("task", STRIPPERS)
def test_no_annotation_is_handed_out(task: str, tmp_path: Path) -> None:
    name, text = KEYS[task]
    (tmp_path / name).write_text(text)
    corpus = read(registry.task(task), str(tmp_path / name))
    form, data = make_texts(task, corpus)
    assert b"CANARY" in text.encode() and b"CANARY" not in data
    (tmp_path / f"out-{name}").write_bytes(data)
    again = read(registry.task(task), str(tmp_path / f"out-{name}"), form)
    assert [document.id for document in again.documents if task != "tagging"] == [
        document.id for document in corpus.documents if task != "tagging"
    ]
    for word in ("Ann", "chat", "Paris", "sleeps"):
        assert (word in text) == (word.encode() in data)


@pytest.mark.parametrize("task", ["tagging", "entities"])
def test_a_real_key_is_stripped(task: str, data: Path) -> None:
    path = {"tagging": "tagging/conll2018-fr_sequoia/gold.conllu.gz", "entities": "entities/wnut17/gold.conll"}[task]
    corpus = read(registry.task(task), str(data / path))
    _, texts = make_texts(task, corpus)
    for label in (b"B-person", b"NOUN", b"Number=Sing", b"nsubj"):
        assert label not in texts
    assert len(texts) > 50_000


def words(text: str) -> object:
    return documents([(word, "_") for word in text.split()])[0]


@pytest.mark.parametrize(
    ("text", "answered", "expected"),
    [
        ("le chat dort", "le chat dort", []),
        ("au jour d hui", "aujourdhui", []),
        ("a b c", "a b", [("c", "")]),
        ("a b", "a x b", [("", "x")]),
        ("un deux trois quatre", "un 2 trois quatre", [("deux", "2")]),
        ("a bc d", "a b cx d", [("bc", "b cx")]),
    ],
)
def test_residue(text: str, answered: str, expected: list[tuple[str, str]]) -> None:
    found = text_residues("tagging", [(words(text), words(answered))])
    assert [(item.expected, item.found) for item in found] == expected


def test_a_long_text_with_few_differences_is_quick() -> None:
    text = [f"w{number * number % 99_991}" for number in range(200_000)]
    other = [*text]
    other[1000], other[150_000] = "x", "y"
    result = text_residues("tagging", [(words(" ".join(text)), words(" ".join(other)))])
    assert [item.found for item in result] == ["x", "y"]


def test_other_tasks_have_no_campaigns() -> None:
    with pytest.raises(UsageError, match="no campaigns for cooking"):
        check_task("cooking")


def test_residue_says_which_word_where_lines_are_not_kept() -> None:
    """A line that is not known is not said to be the first."""
    [document] = entities.documents([{"tokens": ["Ann", "is", "in", "Rome", "."], "spans": []}])
    [other] = entities.documents([{"tokens": ["Ann", "is", "in", "Paris", "."], "spans": []}])
    assert [tuple(residue)[1:] for residue in text_residues("entities", [(document, other)])] == [
        (0, 4, "Rome", "Paris")
    ]
