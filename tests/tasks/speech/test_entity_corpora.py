"""ATENE for other people's files: entities in any format, and probabilities of another recogniser."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aune
from aune.cli import run
from aune.errors import InputError, UsageError
from aune.tasks.speech.atene.maxent import load
from aune.tasks.speech.atene.probability_file import read_probabilities, span_probabilities, tag_probabilities
from aune.tasks.speech.entity_corpora import read_transcripts
from aune.tasks.speech.model import Entity
from tests.tasks.speech.strategies import tiny_model

SENTENCE = "ann B-PER\nmet O\nnew B-LOC\nyork I-LOC\n\nparis B-LOC\nsaid O\n\n"


@pytest.fixture
def conll(tmp_path: Path) -> str:
    path = tmp_path / "train.conll"
    path.write_text("\n".join(line.replace(" ", "\t") for line in (SENTENCE * 12).split("\n")))
    return str(path)


def test_models_are_trained_on_a_conll_file(conll: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It used to be refused: the training corpus has no entity."""
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    assert run(["speech", "train", "atene", conll, "--output", str(tmp_path / "m.npz")]) == 0
    assert "72 words with 36 entities of 2 types" in capsys.readouterr().err
    assert load(str(tmp_path / "m.npz")).labels == ("LOC", "PER")


def test_sentences_are_utterances_of_their_document(conll: str) -> None:
    documents = read_transcripts(conll, None, {}, by_sentence=True).documents
    assert len(documents) == 24 and list(documents[0].words) == ["ann", "met", "new", "york"]
    assert documents[0].entities == (Entity(0, 1, "PER"), Entity(2, 4, "LOC"))
    (whole,) = read_transcripts(conll, None, {}).documents
    assert len(whole.words) == 72 and len(whole.entities) == 36


def test_characters_become_words(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Ann met New York.")
    (tmp_path / "a.ann").write_text("T1\tPER 0 3\tAnn\nT2\tLOC 8 16\tNew York\n")
    (document,) = read_transcripts(str(tmp_path / "a.ann"), None, {}).documents
    assert list(document.words) == ["Ann", "met", "New", "York."]
    assert document.entities == (Entity(0, 1, "PER"), Entity(2, 4, "LOC"))


def test_downstream_reads_conll(conll: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    response = tmp_path / "response.conll"
    response.write_text(Path(conll).read_text().replace("paris\tB-LOC", "pairs\tO"))
    rows = tmp_path / "rows.csv"
    assert run(["speech", "downstream", conll, f"a:T={response}", "--format", "csv", "--output", str(rows)]) == 0
    text = rows.read_text()
    assert "a,eter,0.3333333333333333" in text and "a,wer,0.166" in text


def probability_lines(texts: list[list[str]]) -> str:
    """The probabilities of the small model for some texts, as a file has them."""
    model = load(tiny_model())
    lines = []
    for words in dict.fromkeys(map(tuple, texts)):
        entry: dict[str, Any] = {"words": words}
        for name in ("begin", "inside", "end"):
            table = model.probabilities(name, model.indices([words])) if words else []  # type: ignore[arg-type]
            entry[name] = [dict(zip(model.labels, map(float, row[1:]), strict=True)) for row in table]
        lines.append(json.dumps(entry))
    return "\n".join(lines) + "\n"


KEY = {"a": {"words": ["ann", "met", "paris", "said"], "entities": [(0, 1, "PER"), (2, 3, "LOC")]}}
RESPONSE = {"a": {"words": ["ann", "met", "pairs", "the", "said"]}}
MEASURES = ["atene", "atene_ds", "atene_i"]


def test_probabilities_of_another_recogniser_give_the_same_as_models(tmp_path: Path) -> None:
    path = tmp_path / "probabilities.jsonl"
    path.write_text(probability_lines([KEY["a"]["words"], RESPONSE["a"]["words"]]))  # type: ignore[list-item]
    expected = aune.score("speech", KEY, RESPONSE, measures=MEASURES, model=tiny_model())
    found = aune.score("speech", KEY, RESPONSE, measures=MEASURES, model=str(path))
    for name in MEASURES:
        assert found[name].values == pytest.approx(expected[name].values)


def test_a_text_without_probabilities_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "probabilities.jsonl"
    path.write_text(probability_lines([KEY["a"]["words"]]))  # type: ignore[list-item]
    with pytest.raises(UsageError, match="no line for the text 'ann met pairs the said'"):
        aune.score("speech", KEY, RESPONSE, measures=["atene"], model=str(path))


@pytest.mark.parametrize(
    "line",
    ["{", "[]", '{"words": "a"}', '{"words": ["a"], "begin": [], "inside": [{}], "end": [{}]}',
     '{"words": ["a"], "begin": [{"X": 2}], "inside": [{}], "end": [{}]}',
     '{"words": ["a"], "begin": [{"X": 0.6, "Y": 0.6}], "inside": [{}], "end": [{}]}'],
)  # fmt: skip
def test_malformed_probabilities_name_their_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "probabilities.jsonl"
    path.write_text('{"words": [], "begin": [], "inside": [], "end": []}\n' + line + "\n")
    with pytest.raises(InputError, match=r"probabilities\.jsonl:2"):
        read_probabilities(str(path))


def test_tags_become_probabilities() -> None:
    line = tag_probabilities(
        ["new", "york", "said"], [[0.9, 0, 0.1], [0.2, 0.7, 0.1], [0, 0.1, 0.9]], ["B-X", "I-X", "O"]
    )
    assert [row["X"] for row in line["begin"]] == [0.9, 0.2, 0.0]
    assert np.allclose([row["X"] for row in line["inside"]], [0.9, 0.9, 0.1])
    assert np.allclose([row["X"] for row in line["end"]], [0.9 * 0.3, 0.9 * 0.9, 0.1])


def test_the_beam_of_spacy_gives_probabilities(tmp_path: Path) -> None:
    """The recipe of the documentation, on a small pipeline."""
    spacy = pytest.importorskip("spacy", reason="spacy is not installed")
    from spacy.tokens import Doc
    from spacy.training import Example

    nlp = spacy.blank("en")
    recogniser = nlp.add_pipe("ner")
    texts = [["ann", "met", "paris", "said"], ["ann", "met", "pairs", "the", "said"]]
    tags = ["U-PER", "O", "U-LOC", "O"]
    examples = [Example.from_dict(Doc(nlp.vocab, words=texts[0]), {"entities": tags})]
    optimiser = nlp.initialize(lambda: examples)
    for _ in range(10):
        nlp.update(examples, sgd=optimiser)
    lines = []
    for words in texts:
        doc = Doc(nlp.vocab, words=words)
        for _, pipe in nlp.pipeline[: nlp.pipe_names.index("ner")]:
            doc = pipe(doc)
        (spans,) = recogniser.scored_ents(recogniser.beam_parse([doc], beam_width=16))
        lines.append(json.dumps(span_probabilities(words, spans)))
    path = tmp_path / "probabilities.jsonl"
    path.write_text("\n".join(lines))
    assert read_probabilities(str(path)).labels == ("LOC", "PER")
    score = aune.score("speech", KEY, RESPONSE, measures=["atene_ds"], model=str(path))["atene_ds"]
    assert score.main is not None and score.main < 0  # `pairs` is a place no more


NUMBERED = '{"id": "a", "tokens": ["ann", "met", "bob"], "ner_tags": [1, 0, 1]}\n'


def test_options_of_formats_of_entities_act(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Training and downstream scores refused them, and said of an unreadable corpus that it has no entity."""
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    numbered = tmp_path / "numbered.jsonl"
    numbered.write_text(NUMBERED)
    train = ["speech", "train", "atene", str(numbered), "--output", str(tmp_path / "m.npz")]
    assert run(train) == 3 and "found numbers in `ner_tags`" in capsys.readouterr().err
    assert run([*train, "--tag-names", "O,B-PER"]) == 0 and load(str(tmp_path / "m.npz")).labels == ("PER",)
    scored = ["speech", "downstream", str(numbered), f"a:T={numbered}", "--tag-names", "O,B-PER"]
    rows = [*scored, "--format", "csv", "--output", str(tmp_path / "rows.csv")]
    assert run([*rows, "--response-tag-names", "O,B-LOC"]) == 0
    assert "a,eter,0.25," in (tmp_path / "rows.csv").read_text()
