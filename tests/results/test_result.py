"""Results: what a notebook user holds in hand."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import pytest

import aune
from aune.results.result import make_frame

KEY = {"a": [{1, 2, 3}, {4}], "b": [{1, 2}]}
RESPONSE = {"a": [{1, 2}, {3, 4}], "b": [{1, 2}]}


@pytest.fixture
def result() -> aune.Result:
    return aune.score("coref", KEY, RESPONSE, measures=["muc", "kappa"])


@pytest.fixture
def both_systems() -> aune.Result:
    return aune.evaluate("coref", KEY, {"A": RESPONSE, "B": KEY}, measures=["muc", "kappa"])


def test_values_are_attributes_and_items(result: aune.Result) -> None:
    muc = result["muc"]
    assert muc.recall == muc["recall"] == muc.values["recall"] == 2 / 3
    assert muc.main == muc.f1
    assert muc is result["coref.muc"] is result["response", "muc"]
    assert [item.name for item in result] == ["coref.muc", "coref.kappa"] and len(result) == 2


def test_several_systems(both_systems: aune.Result) -> None:
    assert both_systems.systems == ["A", "B"] and [measure.name for measure in both_systems.measures] == [
        "coref.muc",
        "coref.kappa",
    ]
    assert both_systems["B", "muc"].f1 == 1
    with pytest.raises(aune.UsageError) as error:
        both_systems["muc"]
    assert str(error.value) == ("this result has several systems: write result[SYSTEM, MEASURE] with one of ['A', 'B']")


@pytest.mark.parametrize(
    ("which", "message"),
    [
        ("mcu", "unknown measure of this result 'mcu': did you mean 'muc'?"),
        (("respons", "muc"), "unknown system 'respons': did you mean 'response'?"),
    ],
)
def test_what_is_not_there(result: aune.Result, which: str | tuple[str, str], message: str) -> None:
    with pytest.raises(aune.UsageError) as error:
        result[which]
    assert str(error.value) == message


def test_values_that_are_not_there(result: aune.Result) -> None:
    with pytest.raises(AttributeError, match=r"^coref\.muc has no value 'f2': it has recall, precision, f1$"):
        _ = result["muc"].f2
    with pytest.raises(aune.UsageError, match=r"^unknown value of coref.muc 'recal': did you mean 'recall'"):
        _ = result["muc"]["recal"]


def test_expressions_can_be_written_as_they_were_asked_for() -> None:
    result = aune.score("coref", KEY, RESPONSE, measures=["macro(muc, by=document)", "mean(muc, lea)"])
    assert result["macro(muc, by=document)"] is result["macro(coref.muc,by=document)"]
    assert result["mean(muc, lea)"].mean == result.scores[1].main


def test_undefined_is_none_with_a_reason() -> None:
    result = aune.score("coref", [{1, 2}], [{1, 2}], measures=["kappa", "muc"], undefined="none")
    assert result["kappa"].kappa is None
    assert result["kappa"].reasons == {"kappa": "chance alone agrees on every link: there is nothing to exceed"}
    assert result["muc"].reasons == {}
    nothing = aune.score("coref", [{1}], [{1}], measures=["muc"], undefined="none")["muc"]
    assert nothing.values == {"recall": None, "precision": None, "f1": None}
    assert set(nothing.reasons.values()) == {"nothing to count: the denominator is 0"}
    assert nothing.entry()["undefined"] == nothing.reasons
    assert repr(nothing) == "coref.muc(recall=undefined, precision=undefined, f1=undefined)"


def test_results_by_document(result: aune.Result) -> None:
    assert result["muc"].by("document") == {
        "a": {"recall": 0.5, "precision": 0.5, "f1": 0.5},
        "b": {"recall": 1.0, "precision": 1.0, "f1": 1.0},
    }
    assert result["kappa"].by("document")["b"] == {"kappa": None}
    assert result["muc"].counts_by("document")["a"] == {"common_links": 1, "key_links": 2, "response_links": 2}
    assert result["muc"].counts == {"common_links": 2, "key_links": 3, "response_links": 3}
    rows = list(result.documents())
    assert len(rows) == 4 and rows[0]["document"] == "a" and rows[0]["values"]["f1"] == 0.5


def test_a_macro_average_by_document() -> None:
    [item] = aune.score("coref", KEY, RESPONSE, measures=["macro(muc,by=document)"])
    assert item.recall == 0.75
    assert item.by("document")["a"]["recall"] == 0.5
    with pytest.raises(aune.UsageError):
        item.by("genre")


def test_repr(result: aune.Result) -> None:
    assert repr(result["muc"]) == "coref.muc(recall=0.6667, precision=0.6667, f1=0.6667)"
    assert repr(result) == str(result) == result.to("table").rstrip("\n")
    assert str(result).startswith("coref: 2 documents: response\nmeasure  recall  precision     f1\n")
    assert "<table>" in result._repr_html_()


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames(library: str, both_systems: aune.Result) -> None:
    pytest.importorskip(library)
    frame = both_systems.frame(library)
    assert list(frame.columns) == ["system", "measure", "value", "score", "signature"]
    assert len(frame) == 8 and type(frame).__module__.startswith(library)
    documents = both_systems.document_frame(library)
    assert list(documents.columns) == ["system", "measure", "document", "value", "score"]
    assert len(documents) == 16


def test_a_frame_that_begins_with_undefined_values() -> None:
    polars = pytest.importorskip("polars")
    records = [{"score": None}] * 300 + [{"score": 0.5}]
    assert make_frame(records, "polars")["score"].dtype == polars.Float64


def test_frames_of_nothing_known() -> None:
    with pytest.raises(aune.UsageError, match="unknown library for data frames 'panda': did you mean 'pandas'"):
        make_frame([], "panda")


def test_no_library_for_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib

    def nothing(name: str) -> None:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(importlib, "import_module", nothing)
    with pytest.raises(aune.UsageError) as error:
        make_frame([])
    assert str(error.value) == "a data frame needs pandas or polars: install it, or use records()"


def test_copies_and_pickles(result: aune.Result) -> None:
    for again in (copy.copy(result["muc"]), copy.deepcopy(result["muc"]), pickle.loads(pickle.dumps(result["muc"]))):
        assert again.values == result["muc"].values


def test_results_are_themselves_only(result: aune.Result, both_systems: aune.Result) -> None:
    assert result != both_systems and result["muc"] != both_systems["A", "muc"]


def test_names_of_paths(tmp_path: Path) -> None:
    for name in ("key.txt", "mine.txt"):
        (tmp_path / name).write_text("1 2\n3\n")
    for value in (tmp_path / "mine.txt", str(tmp_path / "mine.txt")):
        result = aune.score("coref", tmp_path / "key.txt", value, measures=["muc"])
        assert result.systems == ["mine"]
        assert [account.role for account in result.inputs] == ["key", "response"]
        assert result.inputs[1].path == str(tmp_path / "mine.txt") and result.inputs[1].format == "partition"


def test_a_list_of_paths(tmp_path: Path) -> None:
    for name in ("key.txt", "a.txt", "b.txt"):
        (tmp_path / name).write_text("1 2\n3\n")
    paths = [f"best={tmp_path / 'a.txt'}", str(tmp_path / "b.txt")]
    assert aune.evaluate("coref", tmp_path / "key.txt", paths, measures=["muc"]).systems == ["best", "b"]


def test_no_system() -> None:
    with pytest.raises(aune.UsageError, match=r"^expected at least one response to score$"):
        aune.evaluate("coref", KEY, {})


def test_progress_is_told() -> None:
    messages: list[tuple[str, float]] = []
    aune.evaluate("coref", KEY, {"A": RESPONSE, "B": KEY}, progress=lambda what, share: messages.append((what, share)))
    shares = [share for _, share in messages]
    assert shares == sorted(shares) and shares[-1] == 1.0
    assert messages[0][0] == "comparing A"


def test_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    import aune.evaluation.counting

    key = {f"{index}": [{1, 2, 3}, {4}] for index in range(7)}
    response = {f"{index}": [{1, 2}, {3, 4}] for index in range(7)}
    before = aune.score("coref", key, response, measures=["all"]).to_json()
    monkeypatch.setattr(aune.evaluation.counting, "CHUNK_SIZE", 3)
    assert aune.score("coref", key, response, measures=["all"]).to_json() == before


def test_a_macro_average_over_many_documents() -> None:
    key = {f"{index}": [{1, 2, 3}] for index in range(6000)}
    response = {f"{index}": [{1, 2}, {3}] if index % 2 else [{1, 2, 3}] for index in range(6000)}
    [item] = aune.score("coref", key, response, measures=["macro(b_cubed,by=document)"])
    assert item.recall == pytest.approx((1 + 5 / 9) / 2)


def test_a_macro_average_in_any_order() -> None:
    key = {f"{index}": [set(range(index % 7 + 2)), {90, 91}] for index in range(40)}
    response = {name: [{0, 90}, {1, 91}] for name in key}
    turned = {name: key[name] for name in reversed(key)}
    scores = [aune.score("coref", item, response, measures=["macro(b_cubed,by=document)"]) for item in (key, turned)]
    assert scores[0].scores[0].values == scores[1].scores[0].values


def test_a_measure_of_another_task(monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from aune.contract import registry

    def count(comparison: object) -> None: ...

    count.__module__ = "aune.tasks.speech.measures.wer"
    monkeypatch.setattr(registry, "task_names", lambda: ("coref", "speech"))
    other = replace(registry.measure("muc", "coref"), count=count)
    with pytest.raises(aune.UsageError, match=r"^speech\.wer is a measure of speech, not of coref$"):
        aune.score("coref", KEY, RESPONSE, measures=[other])


def test_values_complete_on_tab(result: aune.Result, both_systems: aune.Result) -> None:
    """As a notebook asks: `result["muc"].<tab>`, `result["<tab>`."""
    assert {"recall", "precision", "f1", "by", "counts"} <= set(dir(result["muc"]))
    assert result["muc"]._ipython_key_completions_() == ["recall", "precision", "f1"]
    assert result._ipython_key_completions_() == ["muc", "kappa"]
    assert both_systems._ipython_key_completions_()[0] == ("A", "muc")


def test_type_is_another_word_for_label() -> None:
    key, response = [["B-PER", "O", "B-LOC"]], [["B-PER", "O", "B-PER"]]
    names = ["f1", "macro(f1, by=type)", "macro(f1, by=label)"]
    outcome = aune.score("ner", key, response, measures=names)
    assert outcome["f1"].by("type") == outcome["f1"].by("label") and outcome["f1"].support_by("type")["LOC"] == 1
    assert outcome["macro(f1, by=type)"].values == outcome["macro(f1, by=label)"].values
    assert outcome["macro(f1, by=type)"].by("label") == outcome["f1"].by("label")
    assert "LOC" in outcome.to("table", by="type")
    loop = aune.accumulate("ner", measures=names)
    loop.add(key, response)
    assert [item.values for item in loop.result()] == [item.values for item in outcome]
    assert "1 document" in str(loop.result())


def test_an_attribute_called_type_is_not_taken_for_the_label() -> None:
    key = {"a": {"words": "a b", "type": "news"}, "b": {"words": "c d", "type": "talk"}}
    wer = aune.score("speech", key, {"a": "a b", "b": "c"}, measures=["wer"])["wer"]
    assert list(wer.by("type")) == list(wer.by("label")) == ["news", "talk"]
