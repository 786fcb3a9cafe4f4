"""Each damage that happens to real files is scored as it deserves or reported, in every format of speech."""

from __future__ import annotations

import json
import random
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

import aune
from aune.contract import registry

SENTENCES = (
    "l'été dernier nous avons passé trois semaines à la mer près de Nîmes",
    "elle n'a pas répondu quand le téléphone a sonné hier soir",
    "the café on the corner doesn't open before nine o'clock",
    "où étiez-vous pendant que les élèves préparaient l'examen",
    'He said "wait" and then didn\'t come back till Monday morning',
    "ils ont déjà visité le musée d'Orsay avec leurs parents",
    "señor García couldn't believe how cold it was in January",
    "the naïve answer isn't always wrong but it's rarely complete",
    "demain j'irai chez le médecin pour une piqûre contre la grippe",
    "nobody knew whether Zoë's flight had landed in Zürich yet",
)
NUMBERS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
TEXTS = tuple(f"{SENTENCES[number % 10]} {NUMBERS[number % 12]}" for number in range(30))


def lines(texts: Sequence[str]) -> str:
    return "".join(f"{text}\n" for text in texts)


def kaldi(texts: Sequence[str]) -> str:
    return "".join(f"spk{number % 3}-{number:04} {text}\n" for number, text in enumerate(texts))


def trn(texts: Sequence[str]) -> str:
    return "".join(f"{text} (spk{number % 3}_{number:04})\n" for number, text in enumerate(texts))


def manifest(texts: Sequence[str]) -> str:
    return "".join(json.dumps({"id": f"u{number}", "text": text}) + "\n" for number, text in enumerate(texts))


def table(texts: Sequence[str]) -> str:
    return "id\ttext\n" + "".join(f"u{number}\t{text}\n" for number, text in enumerate(texts))


def seglst(texts: Sequence[str]) -> str:
    return json.dumps(
        [
            {"session_id": "s", "speaker": "a", "start_time": number, "end_time": number + 1, "words": text}
            for number, text in enumerate(texts)
        ]
    )


def ctm(texts: Sequence[str]) -> str:
    return "".join(
        f"rec 1 {number + place / 50:.2f} 0.01 {word}\n"
        for number, text in enumerate(texts)
        for place, word in enumerate(text.split())
    )


def stm(texts: Sequence[str]) -> str:
    return "".join(f"rec 1 ann {number} {number + 1} {text}\n" for number, text in enumerate(texts))


def subtitles(texts: Sequence[str]) -> str:
    return "".join(
        f"{number + 1}\n00:00:{number:02},000 --> 00:00:{number:02},900\n{text}\n\n"
        for number, text in enumerate(texts)
    )


def elan(texts: Sequence[str]) -> str:
    slots = "".join(f'<TIME_SLOT TIME_SLOT_ID="t{at}" TIME_VALUE="{1000 * at}"/>' for at in range(len(texts) + 1))
    annotations = "".join(
        f'<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a{at}" TIME_SLOT_REF1="t{at}" TIME_SLOT_REF2="t{at + 1}">'
        f"<ANNOTATION_VALUE>{escape(text)}</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>"
        for at, text in enumerate(texts)
    )
    tier = f'<TIER TIER_ID="ann" PARTICIPANT="ann">{annotations}</TIER>'
    return f"<ANNOTATION_DOCUMENT><TIME_ORDER>{slots}</TIME_ORDER>{tier}</ANNOTATION_DOCUMENT>"


def recogniser_json(texts: Sequence[str]) -> str:
    segments = [{"id": at, "start": at, "end": at + 1, "text": f" {text}"} for at, text in enumerate(texts)]
    return json.dumps({"text": " ".join(texts), "segments": segments, "language": "en"})


def rttm(texts: Sequence[str]) -> str:
    segments = "".join(f"SPEAKER rec 1 {number} 1 <NA> <NA> ann <NA> <NA>\n" for number in range(len(texts)))
    return segments + "".join(
        f"LEXEME rec 1 {number + place / 50:.2f} 0.01 {word} lex ann <NA> <NA>\n"
        for number, text in enumerate(texts)
        for place, word in enumerate(text.split())
    )


def textgrid(texts: Sequence[str]) -> str:
    quoted = [text.replace('"', '""') for text in texts]
    intervals = "".join(f'{at}\n{at + 1}\n"{text}"\n' for at, text in enumerate(quoted))
    tier = f'"IntervalTier"\n"words"\n0\n{len(texts)}\n{len(texts)}\n{intervals}'
    return f'File type = "ooTextFile"\nObject class = "TextGrid"\n\n0\n{len(texts)}\n<exists>\n1\n{tier}'


FORMATS: dict[str, tuple[Callable[[Sequence[str]], str], Callable[[Sequence[str]], str], str, str]] = {
    "lines": (lines, lines, "txt", "txt"), "kaldi": (kaldi, kaldi, "", ""), "trn": (trn, trn, "trn", "trn"),
    "manifest": (manifest, manifest, "jsonl", "jsonl"), "table": (table, table, "tsv", "tsv"),
    "seglst": (seglst, seglst, "json", "json"), "ctm": (ctm, ctm, "ctm", "ctm"), "stm": (stm, ctm, "stm", "ctm"),
    "subtitles": (subtitles, subtitles, "srt", "srt"), "elan": (elan, elan, "eaf", "eaf"),
    "recogniser_json": (recogniser_json, recogniser_json, "json", "json"), "rttm": (rttm, rttm, "rttm", "rttm"),
    "textgrid": (textgrid, textgrid, "TextGrid", "TextGrid"),
}  # fmt: skip
"""How a key and a response are written, and the endings of their names."""


def shuffle_items(texts: Sequence[str]) -> list[str]:
    return random.Random(3).sample(texts, len(texts))


def each(change: Callable[[str], str]) -> Callable[[Sequence[str]], list[str]]:
    return lambda texts: [change(text) for text in texts]


DAMAGES: dict[str, Callable[[Sequence[str]], Sequence[str]]] = {
    "capitals": each(str.upper),
    "small letters": each(str.lower),
    "another text": each(lambda text: " ".join(f"{word[::-1]}x" for word in text.split())),
    "rotated": lambda texts: [*texts[1:], texts[0]],
    "shuffled": shuffle_items,
    "truncated": lambda texts: texts[:12],
    "one left": lambda texts: texts[:1],
    "emptied": each(lambda _: ""),
    "repeated": lambda texts: [*texts, *texts],
    "decomposed": each(lambda text: unicodedata.normalize("NFD", text)),
    "mojibake": each(lambda text: text.encode().decode("cp1252", "replace")),
    "mojibake of Latin 1": each(lambda text: text.encode().decode("latin-1")),
    "soft hyphens": each(lambda text: text.replace("nd", "n\u00add")),
    "curly quotes": each(lambda text: text.replace("'", "\u2019").replace('"', "\u201d")),
    "zero-width spaces": each(lambda text: text.replace("e", "e\u200b")),
    "NUL": each(lambda text: text.replace("a", "a\0", 1)),
    "lost characters": each(lambda text: text.encode("ascii", "replace").decode().replace("?", "\ufffd")),
}


def files(form: str, damage: str, folder: Path) -> tuple[str, str]:
    write_key, write_response, *endings = FORMATS[form]
    folders = folder / "key", folder / "response"
    paths = [str(place / f"a.{ending}".rstrip(".")) for place, ending in zip(folders, endings, strict=True)]
    contents = write_key(TEXTS), write_response(DAMAGES[damage](TEXTS) if damage else TEXTS)
    for place, path, text in zip(folders, paths, contents, strict=True):
        place.mkdir()
        Path(path).write_text(text, "utf-8")
    return paths[0], paths[1]


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("form", FORMATS)
def test_a_damage_is_scored_as_it_deserves_or_reported(form: str, damage: str, tmp_path: Path) -> None:
    try:
        result = aune.score("speech", *files(form, damage, tmp_path), measures=["wer"])
    except aune.AuneError:
        return
    assert result["wer"].main == 0 or result.warnings, f"WER {result['wer'].main} without a warning"


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("damage", ["truncated", "one left"])
def test_the_missing_share_is_stated(form: str, damage: str, tmp_path: Path) -> None:
    if (form, damage) == ("kaldi", "one left"):
        pytest.skip("a single line does not show the names, and is refused")
    result = aune.score("speech", *files(form, damage, tmp_path), measures=["wer"])
    assert any("%" in warning for warning in result.warnings), result.warnings


@pytest.mark.parametrize("form", FORMATS)
def test_the_key_against_itself_is_perfect_and_unremarkable(form: str, tmp_path: Path) -> None:
    key, response = files(form, "", tmp_path)
    result = aune.score("speech", key, response, measures=["wer", "mer", "wil", "wip", "cer", "sentence_error"])
    assert not result.warnings
    for score in result.scores:
        assert score.main == score.measure.perfect_of(score.measure.headline)


def test_every_format_has_its_accidents() -> None:
    assert set(FORMATS) == {form.name for form in registry.formats("speech")}
