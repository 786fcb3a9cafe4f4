from __future__ import annotations

import csv
import os
import re
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import aune
from aune.cli import run
from aune.explain.analysis import study
from aune.explain.paired_tests import run_paired_test
from aune.statistics.comparison import compare_systems
from aune.tasks.speech.comparison import compare
from aune.tasks.speech.significance import (
    Slots,
    error_segments,
    join_chunks,
    mapsswe,
    match_slots,
    mcnemar,
    trace,
    utterance_errors,
)

DATA = Path(os.environ.get("AUNE_DATA", Path(__file__).parents[4] / "shared" / "data"))
NIST = DATA / "speech" / "sctk-samples" / "sclite_testdata"


def slots(path):
    """The errors on each slot of a sclite alignment file, and the utterance of each slot."""
    errors, utterance = [], []
    for number, words in enumerate(re.findall(r"<PATH [^\n]*>\n(.*?)\n?</PATH>", path.read_text(), re.S)):
        row = [0]
        for word in filter(None, words.split(":")):
            kind = next(csv.reader([word]))[0]
            if kind == "I":
                row[-1] += 1
            else:
                row += [int(kind != "C"), 0]
        errors += row
        utterance += [number] * len(row)
    return np.array(errors), np.array(utterance)


@pytest.mark.skipif(not NIST.exists(), reason="needs the NIST samples of ../shared/data")
@pytest.mark.parametrize(("name", "files"), [("test1a", ("file1", "file2")), ("test1b", ("file2", "file1"))])
def test_the_figures_of_sc_stats(name, files):
    report = (NIST / "base_sc_stats" / f"{name}.stats.mapsswe").read_text()
    (first, utterance), (second, _) = (slots(NIST / f"{file}.sgml") for file in files)
    cut = error_segments(first, second, utterance)
    found = mapsswe(*cut)
    expected = re.search(
        r"# segs: (\d+).*mean: (\S+)\) \(std dev: (\S+)\) \(Z Stat: (\S+)\) \(Stat Diff: (\w+)", report
    )
    assert f"{found.segments} {found.mean:.3f} {found.deviation:.3f} {found.z:.3f}" == " ".join(expected.groups()[:4])
    assert (found.p <= 0.05) == (expected[5] == "Yes")
    corr, incorr = (tuple(map(int, row)) for row in re.findall(r"corr +(\d+) +(\d+)\n", report)[-2:])
    tested = mcnemar(*cut)
    assert (tested.first_only, tested.second_only) == (corr[1], incorr[0])
    assert f"{tested.p:.3f}" == re.search(r"the probability of\s+it occurring is (\S+),", report)[1]


def plain_segments(first, second, boundary):
    """One utterance, word by word."""
    result, current, right = [], None, 0
    for slot, (a, b) in enumerate(zip(first, second, strict=True)):
        if a or b:
            if current is None or right >= boundary:
                current = [0, 0]
                result.append(current)
            current[0] += a
            current[1] += b
            right = 0
        elif slot % 2:
            right += 1
    return result


def test_segments_are_those_found_word_by_word():
    generator = np.random.default_rng(1)
    for boundary in (1, 2, 3):
        sizes = generator.integers(0, 20, 40)
        rows = [generator.binomial(2, 0.15, (2, 2 * size + 1)) for size in sizes]
        flat = np.concatenate(rows, axis=1)
        utterance = np.repeat(np.arange(40), 2 * sizes + 1)
        expected = [pair for row in rows for pair in plain_segments(*row.tolist(), boundary)]
        assert np.stack(error_segments(*flat, utterance, boundary), axis=1).tolist() == expected


def test_matched_pairs_reject_a_true_null_as_often_as_promised():
    generator = np.random.default_rng(2)
    campaigns, count = 2000, 150
    errors = generator.poisson(generator.gamma(2, 1, (campaigns, count, 1)), (campaigns, count, 2))
    z_test = np.mean([mapsswe(*pair.T).p <= 0.05 for pair in errors])
    exact = np.mean([mcnemar(*pair.T).p <= 0.05 for pair in errors])
    assert abs(z_test - 0.05) < 3 * np.sqrt(0.05 * 0.95 / campaigns)
    assert 0.02 < exact <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / campaigns)  # exact, so below its level


def test_edges():
    nothing = np.zeros(0, int)
    assert mapsswe(*error_segments(nothing, nothing, nothing)).segments == 0
    assert np.isnan(mapsswe([1], [0]).p)
    assert mapsswe([1, 1, 1], [1, 1, 1]).p == 1.0
    assert mapsswe([2, 2, 2], [1, 1, 1]).p == 0.0
    assert mcnemar([1, 2], [2, 1]) == (0, 0, 1.0)


KEY = {"u1": "a b c d e f g", "u2": "x y z"}
FIRST = {"u1": "a q c d e f g", "u2": "x y y z"}
SECOND = {"u1": "a b c d e g", "u2": "x z"}


def score_sides(key, systems):
    return study("speech", key, systems, measures=["wer", "sentence_error"])


def slots_in(result):
    return [join_chunks([trace(comparison) for comparison in result.comparisons[system]]) for system in "AB"]


def compare_sides(outcome, test):
    return compare_systems(outcome.result, test, task_p_values=run_paired_test(outcome, test), draws=50).pairs


def test_errors_lie_where_the_alignment_puts_them():
    first, second = slots_in(score_sides(KEY, {"A": FIRST, "B": SECOND}))
    assert np.flatnonzero(first.errors[:15]).tolist() == [3]  # b, the second of seven words
    assert np.flatnonzero(second.errors[:15]).tolist() == [11]  # f, the sixth
    assert np.bincount(first.utterance).tolist() == [15, 7]
    assert first.errors.sum() == 2
    assert error_segments(*match_slots(first, second)).first.tolist() == [1, 0, 1]


def test_the_sums_are_the_errors_of_the_word_error_rate():
    generator = np.random.default_rng(0)
    texts = [{f"u{n}": " ".join(generator.choice(list("abcd"), 12)) for n in range(30)} for _ in range(3)]
    found = score_sides(texts[0], {"A": texts[1], "B": texts[2]})
    sides = slots_in(found)
    for system, own_part in zip("AB", sides, strict=True):
        counts = found.result[system, "wer"].counts
        wrong = counts["substitutions"] + counts["deletions"] + counts["insertions"]
        assert own_part.errors.sum() == wrong
    errors = match_slots(*sides)
    expected = {
        ("mapsswe", "wer"): mapsswe(*error_segments(*errors)).p,
        ("mcnemar", "rate"): mcnemar(*utterance_errors(*errors)).p,
    }
    for (test, value), p in expected.items():
        values = {pair.value: pair.p for pair in compare_sides(found, test)}
        assert values.pop(value) == pytest.approx(p)
        assert set(values.values()) == {None}


def test_chunks_are_joined_in_order():
    """What is cut into chunks of one utterance gives the same slots as what is compared at once."""
    result = score_sides(KEY, {"A": FIRST, "B": SECOND})
    whole = slots_in(result)[0]
    single = [trace(compare([pair])) for item in result.comparisons["A"] for pair in item.pairs]
    again = join_chunks(single)
    assert again.errors.tolist() == whole.errors.tolist() and again.utterance.tolist() == whole.utterance.tolist()


def test_mcnemar_counts_the_utterances_that_only_one_has_right():
    """As sc_stats -t mcn: utterances with several errors count once, those that both have right or wrong do not."""
    key = {f"u{n}": "a b c d" for n in range(10)}
    first = key | {f"u{n}": "a b c" for n in range(8)}
    second = key | {"u0": "x y", "u9": "a"}
    pair = next(
        item for item in compare_sides(score_sides(key, {"A": first, "B": second}), "mcnemar") if item.value == "rate"
    )
    assert pair.difference == pytest.approx(0.6)
    assert pair.p == pytest.approx(stats.binomtest(1, 8).pvalue)  # seven against one


def test_other_wordings_make_one_slot():
    first, second = Slots(np.array([0, 1, 0]), np.zeros(3, int)), Slots(np.array([0, 1, 0, 1, 0]), np.zeros(5, int))
    errors, others, utterance = match_slots(first, second)
    assert (errors.tolist(), others.tolist(), utterance.tolist()) == ([1], [2], [0])


def test_other_tasks_have_no_segments(tmp_path, capsys):
    key = {str(n): [{1, 2}] for n in range(3)}
    with pytest.raises(aune.UsageError, match="unknown test of coref 'mapsswe'"):
        run_paired_test(study("coref", key, {"A": key, "B": key}), "mapsswe")
    with pytest.raises(aune.UsageError, match="unknown test 'mapsswe'"):
        compare_systems(aune.evaluate("coref", key, {"A": key, "B": key}), "mapsswe")
    assert run(["compare", "speech", "k", "a", "b", "--test", "mapsswe", "-m", "cer"]) == 2
    assert "wer of speech" in capsys.readouterr().err


def test_the_command_line_offers_them(tmp_path, capsys):
    for name, texts in (("key", KEY), ("a", FIRST), ("b", SECOND)):
        (tmp_path / f"{name}.txt").write_text("".join(f"{text} ({item})\n" for item, text in texts.items()))
    files = [str(tmp_path / f"{name}.txt") for name in ("key", "a", "b")]
    assert run(["compare", "speech", *files, "--test", "mcnemar", "--response-format", "trn", "--key-format", "trn",
                "--unit", "utterance"]) == 0  # fmt: skip
    assert "sentence_error" in capsys.readouterr().out
