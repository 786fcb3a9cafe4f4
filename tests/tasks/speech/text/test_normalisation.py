"""Chains of normalisation: what they do to words, entities and times, and what they say."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aune
from aune.tasks.speech.alignment.networks import parse_alternatives
from aune.tasks.speech.comparison import normalise_utterance
from aune.tasks.speech.model import Entity, Utterance
from aune.tasks.speech.text.normalisation import Normaliser
from aune.tasks.speech.text.numbers import spell_number


@pytest.mark.parametrize(
    ("chain", "text", "expected"),
    [
        ("none", "Don't — Stop", "Don't — Stop"),
        ("case", "Good Morning", "good morning"),
        ("unicode", "ﬁn e\u0301te", "fin éte"),
        ("quotes", "don’t", "don't"),
        ("apostrophes", "don't ' rock'n'roll", "dont rocknroll"),
        ("elisions", "l'ami aujourd'hui", "l' ami aujourd' hui"),
        ("hyphens", "twenty-one - a", "twenty one a"),
        ("punctuation", "Well, (yes) -- it's state-of-the-art!", "Well yes it's state-of-the-art"),
        ("punctuation", "and/or 3:30 x...y AT&T end.of a.bc", "and or 3 30 x y AT T end of a bc"),
        ("punctuation", "U.S.A. U.S e.g. don’t ‘so’ 1.5 so\u00adft", "USA US eg don’t so 1.5 soft"),
        ("fillers-en", "um I uh see", "I see"),
        ("fillers-fr", "euh je vois", "je vois"),
        (
            "numbers-en",
            "in 2020 we made $1.5 or 25%",
            "in twenty twenty we made one point five dollars or twenty five percent",
        ),
        (
            "numbers-fr",
            "le 1er des 71 en 1999",
            "le premier des soixante et onze en mille neuf cent quatre vingt dix neuf",
        ),
        ("characters", "ab c", "a b c"),
        ("ideograms", "煲汤 fred", "煲 汤 fred"),
        ("en", "Um, 21st-century it’s B2B.", "twenty first century it's b2b"),
        ("fr", "L’été, 80 % euh", "l' été quatre vingts pour cent"),
    ],
)
def test_steps(chain: str, text: str, expected: str) -> None:
    assert " ".join(Normaliser(chain)(text.split())[0]) == expected


@pytest.mark.parametrize(
    ("word", "language", "expected"),
    [
        ("0", "en", "zero"), ("13", "en", "thirteen"), ("1,234", "en", "one thousand two hundred thirty four"),
        ("2009", "en", "two thousand nine"), ("1905", "en", "nineteen oh five"), ("1900", "en", "nineteen hundred"),
        ("12th", "en", "twelfth"), ("20th", "en", "twentieth"), ("90s", "en", "nineties"), ("-3", "en", "minus three"),
        ("007", "en", "zero zero seven"), ("3000000", "en", "three million"), ("5.", "en", "five"),
        ("21", "fr", "vingt et un"), ("80", "fr", "quatre vingts"), ("81", "fr", "quatre vingt un"),
        ("99", "fr", "quatre vingt dix neuf"), ("200", "fr", "deux cents"), ("1000", "fr", "mille"),
        ("2000000", "fr", "deux millions"), ("2e", "fr", "deuxième"), ("1ère", "fr", "première"),
        ("9e", "fr", "neuvième"),
        ("3,5", "fr", "trois virgule cinq"), ("17", "fr", "dix sept"),
    ],
)  # fmt: skip
def test_numbers(word: str, language: str, expected: str) -> None:
    assert " ".join(spell_number(word, language) or []) == expected


def test_entities_and_times_follow_their_words() -> None:
    utterance = Utterance(
        "u", ["Um", "in", "2020", "Uh", "OK"], entities=(Entity(2, 4, "DATE"), Entity(3, 4, "X")),
        times=[(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)],
    )  # fmt: skip
    result = normalise_utterance(utterance, Normaliser("en"))
    assert list(result.words) == ["in", "twenty", "twenty", "ok"]
    assert result.entities == (Entity(1, 3, "DATE"),)
    assert result.times == [(1, 2), (2, 3), (2, 3), (4, 5)]


def test_choices_go_through_too() -> None:
    result = normalise_utterance(
        Utterance("u", "x", tree=parse_alternatives("A { B-C / @ } (D)")), Normaliser("case,hyphens")
    )
    assert result.tree == ["a", [["b", "c"], ["@"]], "d"] and list(result.words) == ["a", "b", "c", "d"]


def test_replacements_from_a_glm_and_from_columns(tmp_path: Path) -> None:
    glm = tmp_path / "rules.glm"
    glm.write_text(
        ';; comment\n* name "x"\n HEALTHCARE => HEALTH CARE\n AIR LINES => airlines ;; note\n wanna => {want to}\n'
    )
    assert (
        " ".join(Normaliser(str(glm))(["healthcare", "for", "air", "lines", "i", "wanna"])[0])
        == "HEALTH CARE for airlines i want to"
    )
    table = tmp_path / "rules.tsv"
    table.write_text("ok\to k\nuh\t\n")
    words, origins = Normaliser(f"case,{table}")(["OK", "uh", "yes"])
    assert words == ["o", "k", "yes"] and origins == [0, 0, 2]
    bad = tmp_path / "bad"
    bad.write_text("one two\n")
    with pytest.raises(aune.InputError, match=r"bad:1:1: found 'one two', expected 'old => new' or two columns"):
        Normaliser(str(bad))


def test_the_rules_of_a_glm_may_say_where_they_hold(tmp_path: Path) -> None:
    glm = tmp_path / "rules.glm"
    glm.write_text("it's => {it is / it has} / [ ] __ [ ] ;; note\n[can not] => [cannot] / [ ] __ [ ]\n")
    steps = Normaliser(str(glm))
    assert steps(["it's", "so", "you", "can", "not"])[0] == ["it", "is", "so", "you", "cannot"]
    assert steps.dropped_words == 0  # words that became one are not left out
    glm.write_text("a => b / [x] __ [ ]\n")
    with pytest.raises(aune.InputError, match=r"found a context in .*, expected \[ \] __ \[ \]"):
        Normaliser(str(glm))


def test_the_signature_holds_the_content_of_a_file(tmp_path: Path) -> None:
    table = tmp_path / "rules.tsv"
    table.write_text("ok\tokay\n")
    first = aune.score("speech", ["ok"], ["okay"], measures=["wer"], normalise=f"case,{table}")["wer"]
    chain = first.signature.options["normalise"]
    assert first.wer == 0.0 and chain.startswith(f"case,{table}@")
    again = aune.score("speech", ["ok"], ["okay"], measures=["wer"], normalise=chain)["wer"]
    assert again.signature == first.signature
    table.write_text("ok\to k\n")
    with pytest.raises(aune.UsageError, match="has changed"):
        aune.score("speech", ["ok"], ["okay"], measures=["wer"], normalise=chain)


def test_unknown_steps_are_refused() -> None:
    with pytest.raises(aune.UsageError, match="did you mean 'punctuation'"):
        aune.score("speech", ["a"], ["a"], normalise="punctuaton")


def test_the_chain_is_in_the_signature_and_what_it_drops_is_told() -> None:
    result = aune.score("speech", ["um a"], ["a uh"], measures=["wer"], normalise="en")
    assert "|normalise:en|" in str(result["wer"].signature) and "|alignment:levenshtein|" in str(
        result["wer"].signature
    )
    assert result["wer"].wer == 0.0
    assert any("normalisation en left out 2 words altogether" in note for note in result.warnings)


def test_one_letter_and_empty_lines_stay() -> None:
    counts = aune.score("speech", ["a", "", "b"], ["a", "", "c"], measures=["wer", "sentence_error"])
    assert counts["sentence_error"].counts == {"wrong": 1, "utterances": 3}


SIGNS = [chr(code) for code in range(33, 0x2100) if unicodedata.category(chr(code))[0] in "PS"]
LETTERS = st.text("abcdéß漢字", min_size=1, max_size=4)


@given(LETTERS, st.sampled_from(SIGNS), LETTERS)
def test_punctuation_never_joins_two_words(first: str, sign: str, second: str) -> None:
    result = Normaliser("punctuation")([first + sign + second])[0]
    if sign in "'’-‐‑@":
        assert result == [first + sign + second]
    elif sign == "." and len(first) == len(second) == 1:
        assert result == [first + second]  # initials
    else:
        assert result == [first, second]


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cf", "Zs", "Cc"]), min_size=1)))
def test_punctuation_keeps_every_letter_and_digit_in_order(words: list[str]) -> None:
    remaining = [sign for sign in "".join(words) if sign.isalnum()]
    result = "".join(Normaliser("punctuation")(words)[0])
    assert [sign for sign in result if sign.isalnum()] == remaining


@pytest.mark.parametrize("blank", [" ", "\u00a0", "\u202f", "\u2009", "\u2007", "\t"])
@pytest.mark.parametrize(("chain", "expected"), [("fr", "douze mille euros"), ("en", "twelve thousand euros")])
def test_the_blank_inside_a_number_does_not_matter(blank: str, chain: str, expected: str) -> None:
    result = aune.score("speech", [expected], [f"12{blank}000€"], measures=["wer"], normalise=chain)
    assert result["wer"].wer == 0


def test_entities_follow_a_number_with_blanks() -> None:
    utterance = Utterance("u", "ils sont 12 000 à Brest", entities=(Entity(2, 4, "amount"), Entity(5, 6, "loc")))
    result = normalise_utterance(utterance, Normaliser("fr"))
    assert [result.words[entity.start : entity.end] for entity in result.entities] == [["douze", "mille"], ["brest"]]


@given(st.lists(st.text("ab \t\u00a0\u2003", max_size=6), min_size=1, max_size=4))
def test_words_are_parted_as_jiwer_does(parts: list[str]) -> None:
    jiwer = pytest.importorskip("jiwer", reason="jiwer is not installed")
    key, response = "a b", "".join(parts)
    expected = jiwer.process_words(key, response)
    found = aune.score("speech", [key], [response], measures=["wer"], normalise="jiwer")["wer"]
    assert found.wer == pytest.approx(expected.wer)


def test_by_itself_any_white_space_parts_words() -> None:
    assert aune.score("speech", ["a b"], ["a\u00a0b"], measures=["wer"])["wer"].wer == 0
    assert aune.score("speech", ["a b"], ["a\u00a0b"], measures=["wer"], normalise="jiwer")["wer"].wer == 1
