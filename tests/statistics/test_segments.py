from __future__ import annotations

import csv
import os
import re
from pathlib import Path

import numpy as np
import pytest

from aune.statistics.segments import mapsswe, mcnemar, segments

DATA = Path(os.environ.get("AUNE_DATA", Path(__file__).parents[3] / "shared" / "data"))
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
    cut = segments(first, second, utterance)
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
    found, current, right = [], None, 0
    for slot, (a, b) in enumerate(zip(first, second, strict=True)):
        if a or b:
            if current is None or right >= boundary:
                current = [0, 0]
                found.append(current)
            current[0] += a
            current[1] += b
            right = 0
        elif slot % 2:
            right += 1
    return found


def test_segments_are_those_found_word_by_word():
    generator = np.random.default_rng(1)
    for boundary in (1, 2, 3):
        sizes = generator.integers(0, 20, 40)
        rows = [generator.binomial(2, 0.15, (2, 2 * size + 1)) for size in sizes]
        flat = np.concatenate(rows, axis=1)
        utterance = np.repeat(np.arange(40), 2 * sizes + 1)
        expected = [pair for row in rows for pair in plain_segments(*row.tolist(), boundary)]
        assert np.stack(segments(*flat, utterance, boundary), axis=1).tolist() == expected


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
    assert mapsswe(*segments(nothing, nothing, nothing)).segments == 0
    assert np.isnan(mapsswe([1], [0]).p)
    assert mapsswe([1, 1, 1], [1, 1, 1]).p == 1.0
    assert mapsswe([2, 2, 2], [1, 1, 1]).p == 0.0
    assert mcnemar([1, 2], [2, 1]) == (0, 0, 1.0)
