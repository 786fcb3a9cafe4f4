"""`score` and `evaluate` as a notebook calls them: their warnings are Python's."""

from __future__ import annotations

import subprocess
import sys
import warnings

import pytest

import aune

KEY, RESPONSE = {"a": "one two", "b": "three"}, {"a": "one too"}


def test_warnings_are_python_warnings_at_the_line_of_the_caller() -> None:
    with pytest.warns(aune.AuneWarning, match=r"^the response: 1 utterance \(b\) of the key missing") as told:
        result = aune.score("speech", KEY, RESPONSE)
    assert told[0].filename == __file__ and [str(one.message) for one in told] == result.warnings
    with pytest.warns(aune.AuneWarning, match="1 utterance") as told:
        aune.evaluate("speech", KEY, {"A": RESPONSE})
    assert told[0].filename == __file__


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
    assert [one.name for one in aune.score("ner", key, response, measures="f1, ser")] == [
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
