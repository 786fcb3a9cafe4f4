"""`score` and `evaluate` as a notebook calls them: their warnings are Python's."""

from __future__ import annotations

import subprocess
import sys
import warnings

import pytest

import aune

KEY, RESPONSE = {"a": "one two", "b": "three"}, {"a": "one too"}


def test_warnings_are_python_warnings_at_the_line_of_the_caller() -> None:
    with pytest.warns(aune.AuneWarning, match=r"^the response: 1 utterance \(b\) of the key missing") as warned:
        result = aune.score("speech", KEY, RESPONSE)
    assert warned[0].filename == __file__ and [str(problem.message) for problem in warned] == result.warnings
    with pytest.warns(aune.AuneWarning, match="1 utterance") as warned:
        aune.evaluate("speech", KEY, {"A": RESPONSE})
    assert warned[0].filename == __file__


def test_warnings_can_be_errors() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", aune.AuneWarning)
        with pytest.raises(aune.AuneWarning):
            aune.score("speech", KEY, RESPONSE)
        aune.score("speech", KEY, KEY)


def test_a_loop_is_told_once() -> None:
    """Python shows what was said at one line once, not at every turn."""
    program = """
import aune
for _ in range(3):
    aune.score("speech", {"a": "one two", "b": "three"}, {"a": "one too"}, measures=["wer"])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr.count("AuneWarning") == 1


def test_warnings_stand_in_what_a_notebook_shows() -> None:
    result = aune.score("speech", {**KEY, "<i>": "x"}, RESPONSE)
    rest = "of the key missing (67 % of its 3 utterances), scored as empty"
    assert repr(result).endswith(f"\n\nwarning: the response: 2 utterances (b, <i>) {rest}")
    assert f"<li>the response: 2 utterances (b, &lt;i&gt;) {rest}</li>" in result._repr_html_()
    assert "warning" not in repr(aune.score("speech", KEY, KEY))


def test_many_warnings_are_a_screenful() -> None:
    result = aune.score("speech", KEY, KEY)
    many = aune.Result(result.task, result.scores, result.inputs, [f"warning {n}" for n in range(13)])
    assert "warning 9" in repr(many) and "warning 10" not in repr(many)
    assert repr(many).endswith("… and 3 more in result.warnings")


def test_fewer_than_twenty_names() -> None:
    assert len(aune.__all__) < 20 and all(hasattr(aune, name) for name in aune.__all__)
    assert set(aune.__all__) <= set(dir(aune))


def test_words_that_people_try() -> None:
    key, response = [["B-PER", "O"]], [["B-PER", "B-LOC"]]
    assert [item.name for item in aune.score("ner", key, response, measures="f1, ser")] == [
        "entities.f_measure", "entities.ser",
    ]  # fmt: skip
    with pytest.raises(aune.UsageError, match="did you mean 'measures'"):
        aune.score("ner", key, response, metrics=["f1"])
    with pytest.raises(aune.UsageError, match=r"expected a dict such as .*aune.score\(task, key, response\)"):
        aune.evaluate("ner", key, response)
    with pytest.raises(aune.UsageError, match="found a list, expected the name of a task first: one of anaphora"):
        aune.score(key, "ner", response)  # type: ignore[arg-type]
    loop = aune.accumulate("ner", measures="f1")
    loop.add(key, response)
    assert loop.result().task == "entities" and loop.result()["f1"].recall == 1


KEYS = {f"d{number}": "one two three" for number in range(6)}
RESPONSES = {name: "one too three" if name < "d2" else "one two three" for name in KEYS}


def test_intervals_by_one_argument() -> None:
    from aune.statistics.intervals import with_intervals

    plain = aune.score("speech", KEYS, RESPONSES, measures=["wer"])
    result = aune.score("speech", KEYS, RESPONSES, measures=["wer"], ci=True)
    assert result["wer"].intervals == with_intervals(plain)["wer"].intervals
    low, high = result["wer"].intervals["wer"] or (1.0, 0.0)
    assert low < result["wer"].wer < high and f"wer={result['wer'].wer:.4f} [{low:.4f}, {high:.4f}]" in repr(
        result["wer"]
    )
    narrow = aune.evaluate(
        "speech", KEYS, {"A": RESPONSES}, measures=["wer"], ci_method="percentile", draws=50, level=0.5
    )
    assert "ci:percentile|level:0.5" in str(narrow["A", "wer"].signature)
    with pytest.raises(aune.UsageError, match="level: about confidence intervals, so request them too: ci=True"):
        aune.score("speech", KEYS, RESPONSES, level=0.9)


def test_frames_and_latex_show_intervals() -> None:
    result = aune.evaluate("speech", KEYS, {"A": RESPONSES}, measures=["wer"], ci=True)
    frame = result.to_frame("pandas")
    assert list(frame.columns[-2:]) == ["low", "high"]
    assert (frame.low <= frame.score).all() and (frame.score <= frame.high).all()
    table = result.to_latex(values={"speech.wer": ["wer"]}, digits=1)
    assert r"\begin{table}" in table and r"\caption{" in table and "A & " in table and "[" in table
    assert table == result.to("latex", name="paper", values={"speech.wer": ["wer"]}, digits=1)


def test_a_latex_table_has_the_caption_and_the_label_that_were_given() -> None:
    result = aune.score("speech", KEYS, RESPONSES, measures=["wer"])
    table = result.to_latex(caption="50 % of Earnings-21", label="tab:results")
    assert r"\caption{50 \% of Earnings-21}" in table and r"\label{tab:results}" in table
    with pytest.raises(aune.UsageError, match="caption: acts on latex, not on csv"):
        result.to("csv", caption="Results")
    with pytest.raises(aune.UsageError, match="label 'a}b': expected letters, digits"):
        result.to_latex(label="a}b")


def test_an_accumulator_computes_and_shows_itself() -> None:
    loop = aune.accumulate("speech", measures="wer")
    assert repr(loop) == "<aune.Accumulator of speech (wer): 0 utterances>"
    loop.add(["one two"], ["one too"])
    assert repr(loop) == "<aune.Accumulator of speech (wer): 1 utterance>"
    assert loop.compute()["wer"].wer == loop.result()["wer"].wer == 0.5


def test_all_leaves_out_what_cannot_score_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aune.contract.measure.find_spec", lambda name: None)
    with pytest.warns(
        aune.AuneWarning, match=r"all leaves out per: needs the package gruut: pip install 'aune\[phonemes\]'"
    ):
        result = aune.score("speech", KEYS, RESPONSES, measures="all")
    names = {measure.short for measure in result.measures}
    assert "per" not in names and "atene" not in names and {"wer", "cer", "ril"} <= names
    with pytest.warns(aune.AuneWarning, match="all leaves out per"):
        loop = aune.accumulate("speech", measures="all")
        assert "per" not in {measure.short for measure in loop.add(KEYS, RESPONSES).compute().measures}
    with pytest.raises(aune.UsageError, match="needs the package gruut"):
        aune.score("speech", KEYS, RESPONSES, measures="all,per")


def test_advice_in_python_names_arguments() -> None:
    with pytest.warns(aune.AuneWarning, match="choose kinds='english' or 'french'"):
        aune.score("coref", [[(0, 1), (2, 3)]], [[(0, 1), (2, 3)]], measures="denotation")
    with pytest.raises(aune.InputError, match=r"^nowhere\.conll: found no readable file"):
        aune.score("coref", "nowhere.conll", "nowhere.conll")
    with pytest.raises(aune.UsageError, match="did you mean 'case'"):
        aune.score("speech", KEYS, RESPONSES, normalise="lower")


def test_lists_of_measures_and_formats_can_be_read() -> None:
    assert repr(aune.measures("coref")).startswith(
        "(<aune.Measure coref.adjusted_rand: ari>, <aune.Measure coref.b_cubed: "
    )
    assert "<aune.Format conll2012: read, written>" in repr(aune.formats("coref"))
