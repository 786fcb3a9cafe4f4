"""Options: read from functions, checked, told in words."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import pytest

import aune
from aune.contract.options import NO_FILE, OptionFile, check_known, convert_value, format_value, options_of
from aune.errors import UsageError


def score(
    counts: object,
    other: int = 3,
    *,
    beta: Annotated[float, "weight of recall"] = 1.0,
    empty: Annotated[Literal["zero", "one"], "what nothing is worth"] = "zero",
    names: tuple[str, ...] = (),
    strict: bool = False,
    limit: int | None = None,
) -> None: ...


def test_options_are_the_keyword_only_arguments() -> None:
    options = options_of(score)
    assert list(options) == ["beta", "empty", "names", "strict", "limit"]
    assert options["beta"].help == "weight of recall" and options["beta"].default == 1.0
    assert options["empty"].choices == ("zero", "one")
    assert [option.domain for option in options.values()] == [
        "number", "zero | one", "text,…", "yes | no", "whole number | none",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "argument", "value"),
    [
        ("beta", "2", 2.0),
        ("beta", 2, 2.0),
        ("empty", "one", "one"),
        ("names", "a,b", ("a", "b")),
        ("names", "a", ("a",)),
        ("names", ["a", "b"], ("a", "b")),
        ("names", "-", ()),
        ("names", "", ()),
        ("strict", "yes", True),
        ("strict", "False", False),
        ("strict", True, True),
        ("limit", "none", None),
        ("limit", None, None),
        ("limit", "7", 7),
    ],
)
def test_values_are_converted(name: str, argument: Any, value: Any) -> None:
    result = options_of(score)[name].convert(argument)
    assert result == value and type(result) is type(value)


@pytest.mark.parametrize(
    ("name", "argument", "message"),
    [
        ("beta", "much", "--beta much: expected number"),
        ("empty", "two", "--empty two: expected zero | one"),
        ("strict", "perhaps", "--strict perhaps: expected yes | no"),
        ("limit", "x", "--limit x: expected whole number | none"),
        ("names", 3, "--names 3: expected text,…"),
    ],
)
def test_values_that_do_not_fit(name: str, argument: Any, message: str) -> None:
    with pytest.raises(UsageError) as error:
        options_of(score)[name].convert(argument)
    assert str(error.value) == message


def test_dashes_in_messages() -> None:
    def read(*, key_format: Literal["a"] = "a") -> None: ...

    read.option_types = {"key_format": Literal["a"]}  # type: ignore[attr-defined]
    with pytest.raises(UsageError, match="--key-format b: expected a"):
        options_of(read)["key_format"].convert("b")


def test_unknown_names() -> None:
    with pytest.raises(UsageError, match=r"^unknown option 'colour': did you mean 'color'\?$"):
        check_known(["colour"], ["color", "size"])
    with pytest.raises(UsageError, match=r"^unknown thing 'zzz': expected one of: color, size$"):
        check_known(["zzz"], ["color", "size"], "thing")


def test_literals_of_other_types() -> None:
    assert convert_value("2", Literal[1, 2]) == 2


def test_a_file_is_shown_with_what_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "table.tsv"
    assert format_value(OptionFile(path)) == str(path), "no file, nothing to tell apart"
    path.write_bytes(b"one")
    text = format_value(convert_value(str(path), OptionFile | None))
    assert text == f"{path}@7692c3ad"
    assert convert_value(text, OptionFile | None) == str(path), "and read back"


def test_none_is_nothing_for_options_that_are_empty_unless_given() -> None:
    def taker(*, chain: str = "none", stop: str = "en", model: OptionFile = NO_FILE) -> None: ...

    known = options_of(taker)
    assert [known[name].convert("none") for name in ("chain", "stop", "model")] == ["none", "none", ""]


def test_none_is_no_text_unless_the_option_says_none() -> None:
    def read(*, field: str = "", steps: str = "none") -> None: ...

    options = options_of(read)
    assert (options["field"].convert("none"), options["steps"].convert("none")) == ("", "none")


FILES = pytest.mark.parametrize(
    ("measure", "option", "texts"),
    [
        ("speech.oov_wer", "vocabulary", ("the\n", "monro\nthe\nsaid\n")),
        ("speech.content_wer", "stop", ("the\n", "monro\nthe\n")),
        ("speech.wer", "normalise", ("the => a\n", "monro => monroe\n")),
        ("entities.ace_value", "ace_weights", ("", "[types]\nPER = 0.1\n")),
        ("entities.ser", "typology", ("", "[weights.ser]\ntype = 1.0\n")),
    ],
)


def values(measure: str, option: str, path: Path) -> dict[str, float | None]:
    task = measure.partition(".")[0]
    key, response = (["the monro said"], ["the monroe said so"])
    if task == "entities":
        key, response = ([(0, 2, "PER"), (4, 6, "LOC")], [(0, 2, "PER"), (4, 6, "GPE")])
    return aune.score(task, key, response, measures=[measure], **{option: str(path)})[measure].values


@FILES
def test_a_file_that_has_changed_is_read_again(
    tmp_path: Path, measure: str, option: str, texts: tuple[str, str]
) -> None:
    """In a notebook or a server: the signature said what the file holds, and the values were those of the old one."""
    path, copies = tmp_path / "file.toml", [tmp_path / "one.toml", tmp_path / "two.toml"]
    for copy, text in zip(copies, texts, strict=True):
        copy.write_text(text)
    fresh = [values(measure, option, copy) for copy in copies]
    assert fresh[0] != fresh[1]
    for text, expected in zip(texts, fresh, strict=True):
        path.write_text(text)
        assert values(measure, option, path) == expected


@FILES
def test_a_file_may_be_saved_on_any_system(tmp_path: Path, measure: str, option: str, texts: tuple[str, str]) -> None:
    """With a byte order mark and other line ends: the first word of a list was another word then."""
    plain, marked = tmp_path / "plain.toml", tmp_path / "marked.toml"
    plain.write_bytes(texts[1].encode())
    marked.write_bytes(b"\xef\xbb\xbf" + texts[1].replace("\n", "\r\n").encode())
    assert values(measure, option, plain) == values(measure, option, marked)
