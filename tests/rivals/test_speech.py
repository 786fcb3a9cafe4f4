"""Speech beside jiwer and meeteval, on files: line ends, blanks, case, comments and order as they come in the world.

The rivals are given the texts that the files hold (jiwer) or the files themselves (meeteval).
"""

from __future__ import annotations

import json
import random
import tempfile
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aune

jiwer = pytest.importorskip("jiwer", reason="jiwer is not installed")

WORD = st.text("abcABCéß'", min_size=1, max_size=3)
TEXT = st.lists(WORD, max_size=6)
DIFFERENCES = {
    "a key without any word": "for jiwer the rate is the number of words put in; for aune it is undefined",
    "a single tab or no-break space": "part of a word for jiwer, between words for aune unless --normalise jiwer",
    "S, D and I of meeteval": "where several alignments have the fewest errors it takes another; the totals are equal",
    "a session missing from the response": "meeteval refuses the whole file; aune scores an empty answer, and says so",
}
"""What differs, and why; each is a test below."""


class Disturbance(NamedTuple):
    """What happens to a file on its way."""

    line_end: str
    blank: str
    trailing: str
    comments: bool
    shuffled: bool
    byte_order_mark: bool


DISTURBANCES = st.builds(
    Disturbance, st.sampled_from(["\n", "\r\n"]), st.sampled_from([" ", "  ", "\t", " \t "]),
    st.sampled_from(["", " ", "\t"]), st.booleans(), st.booleans(), st.booleans(),
)  # fmt: skip


def write_text(path: Path, lines: list[str], how: Disturbance, rng: random.Random, comment: str = "") -> str:
    """The file with these lines; blanks inside them are doubled or replaced, and comments put between them."""
    remaining = rng.sample(lines, len(lines)) if how.shuffled else list(lines)
    disturbed = [line.replace(" ", how.blank) + how.trailing for line in remaining]
    if how.comments and comment:
        disturbed = [part for line in disturbed for part in (f"{comment} a word of advice", line)]
    text = how.line_end.join([*disturbed, ""])
    path.write_bytes((b"\xef\xbb\xbf" if how.byte_order_mark else b"") + text.encode())
    return str(path)


def totals(result: aune.Result, measure: str = "wer") -> tuple[int, ...]:
    counts = result[measure].counts
    return tuple(int(counts[name]) for name in ("correct", "substitutions", "deletions", "insertions"))


def by_jiwer(pairs: list[tuple[list[str], list[str]]]) -> tuple[int, ...]:
    result = jiwer.process_words([" ".join(key) for key, _ in pairs], [" ".join(response) for _, response in pairs])
    return result.hits, result.substitutions, result.deletions, result.insertions


PAIRS = st.lists(st.tuples(TEXT.filter(bool), TEXT), min_size=2, max_size=5)


@given(PAIRS, DISTURBANCES, DISTURBANCES, st.sampled_from(["kaldi", "trn"]), st.integers(0, 99))
def test_named_utterances_against_jiwer(pairs: Any, how: Disturbance, other: Disturbance, form: str, seed: int) -> None:
    rng = random.Random(seed)
    line = {"kaldi": "utt{}-1 {}", "trn": "{1} (utt{0}-1)"}[form]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sides = []
        for side, disturbance in ((0, how), (1, other)):
            lines = [line.format(number, " ".join(pair[side])) for number, pair in enumerate(pairs)]
            sides.append(write_text(folder / f"{side}.txt", lines, disturbance, rng, ";;" if form == "trn" else ""))
        result = aune.score("speech", *sides, measures=["wer"], key_format=form, response_format=form)
    assert totals(result) == by_jiwer(pairs)


@given(PAIRS, DISTURBANCES, st.integers(0, 99))
def test_plain_lines_against_jiwer(pairs: Any, how: Disturbance, seed: int) -> None:
    how = how._replace(shuffled=False)  # lines have no names: their order is all there is
    how = how._replace(blank=how.blank.replace("\t", " "))  # a file whose words are in columns is refused as a table
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        sides = [
            write_text(Path(name) / f"{side}.txt", [" ".join(pair[side]) for pair in pairs], how, rng)
            for side in (0, 1)
        ]
        result = aune.score("speech", *sides, measures=["wer", "cer"], key_format="lines", response_format="lines")
    assert totals(result) == by_jiwer(pairs)
    texts = [[" ".join(pair[side]) for pair in pairs] for side in (0, 1)]
    assert result["cer"].cer == pytest.approx(jiwer.process_characters(*texts).cer)


@given(PAIRS)
def test_case_is_kept_unless_told(pairs: Any) -> None:
    loud = [([word.upper() for word in key], response) for key, response in pairs]
    sides = [[" ".join(pair[side]) for pair in loud] for side in (0, 1)]
    assert totals(aune.score("speech", *sides, measures=["wer"])) == by_jiwer(loud)
    quiet = [([word.lower() for word in key], [word.lower() for word in response]) for key, response in loud]
    assert totals(aune.score("speech", *sides, measures=["wer"], normalise="case")) == by_jiwer(quiet)


SPEECH = st.lists(st.sampled_from(["a", "b", "cc"]), min_size=1, max_size=4)
SEGMENTS = st.lists(  # those that begin together would have no order but that of the file
    st.tuples(st.sampled_from("xy"), st.integers(0, 20), st.integers(1, 8), SPEECH),
    min_size=1,
    max_size=5,
    unique_by=lambda segment: segment[1],
)


@settings(max_examples=40)
@given(SEGMENTS, SEGMENTS, DISTURBANCES, st.integers(0, 99), st.sampled_from(["stm", "json"]))
def test_meetings_against_meeteval(key: Any, response: Any, how: Disturbance, seed: int, form: str) -> None:
    """The same files for both: the sides of a meeting as stm or as SegLST."""
    meeteval = pytest.importorskip("meeteval", reason="meeteval is not installed")
    rng = random.Random(seed)
    how = how._replace(byte_order_mark=False, trailing="")
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        paths = [
            _meeting(Path(name) / f"{side}.{form}", outcome, how, rng) for side, outcome in enumerate((key, response))
        ]
        sides = [_load_file(meeteval, path) for path in paths]
        expected = sum(meeteval.wer.cpwer(*sides).values()), sum(meeteval.wer.tcpwer(*sides, collar=1).values())
        options = {"group": "meeting"} if form == "json" else {}
        result = aune.score("speech", *paths, measures=["cp_wer", "tcp_wer"], collar=1.0, **options)
    for measure, peer in zip(("cp_wer", "tcp_wer"), expected, strict=True):
        assert sum(totals(result, measure)[1:]) == peer.errors
        assert sum(totals(result, measure)[:3]) == peer.length


def _load_file(meeteval: Any, path: str) -> Any:
    return (
        meeteval.io.STM.load(path) if path.endswith("stm") else meeteval.io.SegLST(json.loads(Path(path).read_text()))
    )


def _meeting(path: Path, result: Any, how: Disturbance, rng: random.Random) -> str:
    if path.suffix == ".stm":
        lines = [f"m 1 {who} {start} {start + length} {' '.join(words)}" for who, start, length, words in result]
        return write_text(path, lines, how, rng, ";;")
    segments = [
        {
            "session_id": "m",
            "speaker": who,
            "start_time": start,
            "end_time": start + length,
            "words": how.blank.join(words),
        }
        for who, start, length, words in (rng.sample(result, len(result)) if how.shuffled else result)
    ]
    path.write_text(json.dumps(segments))
    return str(path)


# The documented differences.


def test_a_key_without_any_word() -> None:
    assert DIFFERENCES["a key without any word"]
    if version("jiwer") < "4":
        pytest.skip("jiwer 3 refuses a key without any word")
    assert jiwer.process_words("", "b c").wer == 2
    assert aune.score("speech", [""], ["b c"], measures=["wer"])["wer"].wer is None
    assert totals(aune.score("speech", ["", "a"], ["b", "a"], measures=["wer"])) == by_jiwer(
        [([], ["b"]), (["a"], ["a"])]
    )


def test_a_single_tab_or_no_break_space() -> None:
    assert DIFFERENCES["a single tab or no-break space"]
    for blank in ("\t", "\u00a0", "\u202f"):
        assert jiwer.wer("a b", f"a{blank}b") == 1.0
        assert aune.score("speech", ["a b"], [f"a{blank}b"], measures=["wer"])["wer"].wer == 0.0
        assert aune.score("speech", ["a b"], [f"a{blank}b"], measures=["wer"], normalise="jiwer")["wer"].wer == 1.0


def test_s_d_and_i_of_meeteval() -> None:
    assert DIFFERENCES["S, D and I of meeteval"]
    meeteval = pytest.importorskip("meeteval", reason="meeteval is not installed")
    peer = meeteval.wer.wer.siso.siso_word_error_rate("a b", "b c")
    aune_totals = totals(aune.score("speech", ["a b"], ["b c"], measures=["wer"]))
    assert sum(aune_totals[1:]) == peer.errors


def test_a_session_missing_from_the_response(tmp_path: Path) -> None:
    assert DIFFERENCES["a session missing from the response"]
    meeteval = pytest.importorskip("meeteval", reason="meeteval is not installed")
    (tmp_path / "key.stm").write_text("m 1 x 0 1 a\nn 1 x 0 1 b\n")
    (tmp_path / "r.stm").write_text("m 1 x 0 1 a\n")
    paths = [str(tmp_path / name) for name in ("key.stm", "r.stm")]
    with pytest.raises(RuntimeError):
        meeteval.wer.cpwer(*(_load_file(meeteval, path) for path in paths))
    result = aune.score("speech", *paths, measures=["cp_wer"])
    assert result["cp_wer"].cp_wer == 0.5 and any("missing" in note for note in result.warnings)
