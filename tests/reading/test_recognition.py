"""Formats are recognised by what a file surely is, then by its name; a guess is said."""

from __future__ import annotations

from pathlib import Path

import pytest

import aune
from aune.contract import registry
from aune.contract.format import Format
from aune.errors import InputError
from aune.reading.corpus import open_files
from aune.reading.recognition import choose_format, recognise_format
from aune.reading.source import Source

COREF, SPEECH = registry.task("coref"), registry.task("speech")


def form(name: str, sniff: str = "", **rest: object) -> Format:
    """A format that is sure of texts that hold a sign."""

    def read(source: Source) -> list[object]:
        return []

    read.__module__ = f"somewhere.{name}"
    return Format(read, (lambda head: sniff in head) if sniff else lambda head: False, **rest)  # type: ignore[arg-type]


ANY = form("any", "\n", suffixes=(".txt",), accepts_any_text=True)
BRACKETS = form("brackets", "[", suffixes=(".br",))
BRACES = form("braces", "{", suffixes=(".bc",), could_match=lambda head: "}" in head)


@pytest.mark.parametrize(
    ("name", "head", "chosen", "others"),
    [
        ("x", "[\n", "brackets", []),
        ("x.txt", "[\n", "brackets", []),  # what the content surely is comes before the name
        ("x.bc", "[\n", "brackets", []),
        ("x", "[{\n", "brackets", ["braces"]),
        ("x.bc", "[{\n", "braces", []),  # the name decides between two that are sure
        ("x", "a\n", "any", []),
        ("x.br", "a\n", "brackets", []),  # the name comes before a format that takes anything
        ("x.txt", "a}\n", "any", ["braces"]),
        ("x", "a", None, []),
    ],
)
def test_certainty_first_then_the_name(name: str, head: str, chosen: str | None, others: list[str]) -> None:
    result, rest = choose_format([BRACKETS, BRACES, ANY], name, head)
    assert (result and result.name, [item.name for item in rest]) == (chosen, others)


def test_the_order_of_formats_decides_nothing_that_is_not_said() -> None:
    for formats in ([ANY, BRACES, BRACKETS], [BRACKETS, ANY, BRACES]):
        for name in ("x", "x.txt", "x.br", "x.bc"):
            for head in ("[\n", "{\n", "a\n"):
                first = choose_format([BRACKETS, BRACES, ANY], name, head)
                assert choose_format(formats, name, head) == first


def test_coreference_files() -> None:
    for name, text, expected in (
        ("x", "#begin document (a); part 0\nAnn (1)\n#end document\n", "conll2012"),
        ("x.txt", '{"doc_key": "a", "clusters": []}\n', "jsonlines"),
        ("x.dat", "1 2\n", "partition"),
        ("x.chains", "Peter Paul Mary\n", "partition"),
    ):
        found = recognise_format(COREF, Source(name, text.encode()))
        assert found is not None and found.name == expected, name


@pytest.mark.parametrize(
    ("text", "expected", "warned"),
    [
        ("3pm tomorrow works\n", "lines", False),
        ("spk1-0001 good morning\n", "lines", True),
        ("covid-19 is over\n", "lines", True),
        ("3pm tomorrow works\n5pm does not\n", "lines", True),
        ("19-year-old men\n20-year-old men\n", "lines", True),
        ("1 good morning\n2 thank you\n", "lines", True),
        ("u1 good morning\nu2 thank you\n", "kaldi", False),
        ("1089-134686-0000 he hoped\n1089-134686-0001 stuff it\n", "kaldi", False),
        ("BAC009S0764W0121 a b\nBAC009S0764W0122\n", "kaldi", False),
        ("mp3 players are old\nmp4 is a film\n", "kaldi", True),
        ("covid19 is over\nformula1 is not\n", "kaldi", True),
        ("u3 good morning\nu9 thank you\n", "kaldi", True),
        ("good morning\nthank you\n", "lines", False),
    ],
)
def test_a_text_is_not_taken_for_kaldi(text: str, expected: str, warned: bool) -> None:
    source = Source("x", text.encode())
    found = recognise_format(SPEECH, source)
    assert found is not None and found.name == expected
    other = {"lines": "kaldi", "kaldi": "lines"}[expected]
    guess = f"x: read as {expected}, but it could be {other}: name the format with --input-format"
    assert source.warnings == ([guess] if warned else [])


def test_one_line_of_text_is_scored_as_text(tmp_path: Path) -> None:
    """It was read as Kaldi's: WER 0."""
    (tmp_path / "key").write_text("3pm tomorrow works\n")
    (tmp_path / "response").write_text("4pm tomorrow works\n")
    result = aune.evaluate("speech", tmp_path / "key", {"r": tmp_path / "response"}, measures=["wer"])
    assert result.scores[0].wer == pytest.approx(1 / 3)


def test_what_is_in_no_format_names_the_choices() -> None:
    with pytest.raises(
        InputError, match="found 'Ann met her', which is no known coref format, expected one of booknlp, brat, "
    ):
        recognise_format(COREF, Source("x", b"Ann met her\n"))
    with pytest.raises(InputError, match="found an empty file, expected a text with its annotation"):
        recognise_format(COREF, Source("x", b""))


def test_companions_in_a_folder_are_left_out() -> None:
    source = Source("README", b"These are the transcripts.\n")
    assert recognise_format(SPEECH, source, among_many=True) is None
    assert source.warnings == ["README: not read: in none of the known formats"]
    assert recognise_format(SPEECH, Source("a.txt", b"good morning\n"), among_many=True) is not None


DECLARING = [
    pytest.param(task, form, id=f"{task}-{form.name}")
    for task in registry.task_names()
    for form in registry.formats(task)
    if (form.companion_endings or form.settings_files) and not form.suffixes[0].startswith("/")
]
"""Not Kaldi's, whose file is named `text` whatever it is about."""


@pytest.mark.parametrize(("task", "form"), DECLARING)
@pytest.mark.parametrize("is_named", [True, False])
@pytest.mark.parametrize("content", ["Ann\tB-PER\nran\tO\n", "[entities]\nPER\n", "1\tAnn\t_\t_\n"])
def test_companions_of_a_format_are_never_read_alone(
    tmp_path: Path, task: str, form: Format, is_named: bool, content: str
) -> None:
    """Whatever the text beside an annotation looks like, and with the settings of the annotation tool beside it."""
    for name in [*(f"a{ending}" for ending in (*form.suffixes[:1], *form.companion_endings)), *form.settings_files]:
        (tmp_path / name).write_text("" if name.endswith(form.suffixes) else content, encoding="utf-8")
    if form.name == "booknlp":
        (tmp_path / "a.tokens").unlink()  # a table of words, which is read
        (tmp_path / "a.entities").write_text("COREF\tstart_token\tend_token\tprop\tcat\ttext\n")
    else:
        (tmp_path / "a.ann").write_text(f"T1\tPER 0 3\t{content[:3]}\n".replace("\tB", "\tA"), encoding="utf-8")
    files = open_files(registry.task(task), str(tmp_path), form.name if is_named else None, {})
    assert [origin.name for origin, chosen in files.files if chosen] == [f"{tmp_path}/a{form.suffixes[0]}"]
    assert not any(files.notes.values()) and not files.problems
