from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import aune
from aune.cli import run
from aune.statistics.comparison import compare_systems
from aune.statistics.segments import mapsswe, mcnemar, segments, utterances
from aune.statistics.slots import SLOTS, Slots, matched

pytest.importorskip("aune.tasks.speech.alignment.words", reason="needs the speech task")

KEY = {"u1": "a b c d e f g", "u2": "x y z"}
FIRST = {"u1": "a q c d e f g", "u2": "x y y z"}
SECOND = {"u1": "a b c d e g", "u2": "x z"}


def scored(key, systems):
    return aune.evaluate("speech", key, systems, measures=["wer", "sentence_error", SLOTS])


def test_errors_lie_where_the_alignment_puts_them():
    result = scored(KEY, {"A": FIRST, "B": SECOND})
    first, second = (result[system, "slots"].details for system in "AB")
    assert np.flatnonzero(first.errors[:15]).tolist() == [3]  # b, the second of seven words
    assert np.flatnonzero(second.errors[:15]).tolist() == [11]  # f, the sixth
    assert np.bincount(first.utterance).tolist() == [15, 7]
    assert first.errors.sum() == 2
    assert segments(*matched(first, second)).first.tolist() == [1, 0, 1]


def test_the_sums_are_the_errors_of_the_word_error_rate():
    generator = np.random.default_rng(0)
    texts = [{f"u{n}": " ".join(generator.choice(list("abcd"), 12)) for n in range(30)} for _ in range(3)]
    result = scored(texts[0], {"A": texts[1], "B": texts[2]})
    for system in "AB":
        counts = result[system, "wer"].counts
        wrong = counts["substitutions"] + counts["deletions"] + counts["insertions"]
        assert result[system, "slots"].details.errors.sum() == wrong
    slots = matched(*(result[system, "slots"].details for system in "AB"))
    expected = {
        ("mapsswe", "wer"): mapsswe(*segments(*slots)).p,
        ("mcnemar", "rate"): mcnemar(*utterances(*slots)).p,
    }
    for (test, value), p in expected.items():
        found = {pair.value: pair.p for pair in compare_systems(result, test, draws=50).pairs}
        assert found.pop(value) == pytest.approx(p)
        assert set(found.values()) == {None}


def test_mcnemar_counts_the_utterances_that_only_one_has_right():
    """As sc_stats -t mcn: utterances with several errors count once, those that both have right or wrong do not."""
    key = {f"u{n}": "a b c d" for n in range(10)}
    first = key | {f"u{n}": "a b c" for n in range(8)}
    second = key | {"u0": "x y", "u9": "a"}
    result = scored(key, {"A": first, "B": second})
    pair = next(one for one in compare_systems(result, "mcnemar", draws=50).pairs if one.value == "rate")
    assert pair.difference == pytest.approx(0.6)
    assert pair.p == pytest.approx(stats.binomtest(1, 8).pvalue)  # seven against one


def test_other_wordings_make_one_slot():
    first, second = Slots(np.array([0, 1, 0]), np.zeros(3, int)), Slots(np.array([0, 1, 0, 1, 0]), np.zeros(5, int))
    errors, others, utterance = matched(first, second)
    assert (errors.tolist(), others.tolist(), utterance.tolist()) == ([1], [2], [0])


def test_other_tasks_have_no_segments(tmp_path, capsys):
    key = {str(n): [{1, 2}] for n in range(3)}
    with pytest.raises(aune.UsageError, match="needs the task speech"):
        compare_systems(aune.evaluate("coref", key, {"A": key, "B": key}), "mapsswe")
    assert run(["compare", "coref", "k", "a", "b", "--test", "mapsswe"]) == 2
    assert "wer of speech" in capsys.readouterr().err
