"""Agreement on tags and entities, for the tasks that are there."""

from __future__ import annotations

import pytest

import aune
from aune.cli import run
from aune.explain.annotators import annotators_agreement
from aune.statistics.intervals import with_intervals


def test_entities_are_judged_position_by_position():
    model = pytest.importorskip("aune.tasks.entities.model")
    from aune.tasks.entities.judgements import judgements, spans

    first = model.make_document("d", [model.Span(0, 2, "pers"), model.Span(1, 2, "loc")], length=4)
    second = model.make_document("d", [model.Span(0, 1, "pers"), model.Span(3, 4, "loc")], length=4)
    assert judgements([first, second]) == [["B-pers", "B-pers"], ["I-pers > B-loc", "O"], ["O", "O"], ["O", "B-loc"]]
    assert judgements([first, None])[0] == ["B-pers", None]
    assert spans(second) == [(0, 1, "pers"), (3, 4, "loc")]
    assert annotators_agreement("entities", {"A": [first], "B": [first]}).scores[0].kappa == 1.0


def test_tags_are_judged_word_by_word(data):
    pytest.importorskip("aune.tasks.tagging.model")
    folder = data / "tagging" / "conll2018-fr_sequoia"
    files = {name: str(folder / f"{name}.conllu.gz") for name in ("gold", "HIT-SCIR-18")}
    result = annotators_agreement("tagging", files)
    cohen = result["gold–HIT-SCIR-18", "cohen"]
    assert cohen.kappa > 0.95  # about 98 % of the tags are the same
    assert cohen.counts["units"] > 9000


def test_sentences_can_be_drawn_and_change_no_value(data):
    """One file per annotator is one document, and has sentences."""
    tags, entities = data / "tagging" / "conll2018-fr_sequoia", data / "entities" / "wnut17"
    for task, files in (
        ("tagging", {name: str(tags / f"{name}.conllu.gz") for name in ("gold", "HIT-SCIR-18")}),
        ("entities", {name: str(entities / f"{name}.conll") for name in ("gold", "arcada")}),
    ):
        whole, cut = annotators_agreement(task, files), annotators_agreement(task, files, unit="sentence")
        assert [entry.values for entry in whole] == [pytest.approx(entry.values) for entry in cut]
        sentences = len(set(cut.scores[0].rows.attributes["sentence"]))
        assert sentences == {"tagging": 456, "entities": 1287}[task]
        low, high = with_intervals(cut, draws=200, unit="sentence").scores[0].intervals["kappa"]
        assert low < cut.scores[0].kappa < high


def test_chains_do_not_lie_in_sentences():
    with pytest.raises(aune.UsageError, match="unit to draw 'sentence'"):
        annotators_agreement("coref", {"A": [{1, 2}], "B": [{1, 2}]}, unit="sentence")


def test_options_that_would_do_nothing_are_refused(tmp_path, capsys):
    for name in "ab":
        (tmp_path / f"{name}.tsv").write_text("x\tN\ny\tV\n")
    files = [str(tmp_path / f"{name}.tsv") for name in "ab"]
    for option in (["--bogus", "1"], ["--ambiguous", "wrong"], ["--convention", "x"]):
        assert run(["agreement", "tagging", *files, *option]) == 2
        assert "unknown option" in capsys.readouterr().err
    assert run(["agreement", "tagging", *files, "-m", "accuracy", "--ambiguous", "wrong"]) == 0
    assert run(["agreement", "tagging", *files, "--documents", "newdoc"]) == 0
    assert "documents:newdoc" in capsys.readouterr().out.splitlines()[-1]


def test_files_that_cannot_be_compared_are_refused_or_noted():
    """Tokens were compared with characters, and positions of texts of different lengths, in silence."""
    tokens = {"id": "d", "tokens": ["Ann", "met", "Bob"], "spans": [(0, 1, "PER"), (2, 3, "PER")]}
    characters = {"id": "d", "text": "Ann met Bob", "spans": [(0, 3, "PER"), (8, 11, "PER")]}
    with pytest.raises(aune.AuneError, match="spans over characters"):
        annotators_agreement("entities", {"a": [tokens], "b": [characters]})
    shorter = {"id": "d", "tokens": ["met", "Bob"], "spans": [(1, 2, "PER")]}
    [note] = annotators_agreement("entities", {"a": [tokens], "b": [shorter]}).warnings
    assert note == "the texts of annotators differ, and positions are compared as they are (1 document)"
    [note] = annotators_agreement("tagging", {"a": [("a", "N"), ("b", "V")], "b": [("a", "n"), ("b", "V")]}).warnings
    assert "different cases" in note


def test_the_order_of_alternatives_is_no_disagreement():
    tags = {"a": [("a", "N|V"), ("b", "D")], "b": [("a", "V|N|V"), ("b", "D")]}
    result = annotators_agreement("tagging", tags)
    assert {score.main for score in result.scores} == {1.0} and not result.warnings
