from __future__ import annotations

import re
from pathlib import Path

import pytest

from aune.campaign.protocol.protocol_file import parse_protocol, read_protocol
from aune.campaign.scaffold import TEXTS, create_campaign
from aune.errors import InputError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    create_campaign(tmp_path / "c", "demo", "tagging")
    return tmp_path / "c"


def problems(folder: Path, text: str) -> list[str]:
    with pytest.raises(InputError) as error:
        parse_protocol(text, folder)
    return [str(problem) for problem in error.value.problems]


@pytest.mark.parametrize("task", TEXTS)
def test_a_new_protocol_is_valid(task: str, tmp_path: Path) -> None:
    result = create_campaign(tmp_path / task, "demo", task).protocol
    assert result.task == task
    assert list(result.datasets) == ["train", "try", "final"]


def test_everything_wrong_is_told_at_once_with_its_place(folder: Path) -> None:
    text = (folder / "campaign.toml").read_text()
    text = text.replace('zone = "UTC"', 'zone = "Mars/Base"')
    text = text.replace('unit = "sentence"', 'unit = "planet"').replace("level = 0.95", "level = 2.5")
    text = text.replace('key = "keys/try.tsv"', 'key = "keys/none.tsv"').replace("valid = 3\n", 'valid = "three"\n')
    text = text.replace("[public]", '[public]\n"test scores" = "call"\n"secrets" = "call"')
    result = problems(folder, text)
    assert len(result) == 7
    lines = text.split("\n")
    for item in result:
        name, line, column, message = item.split(":", 3)
        assert name == "campaign.toml" and int(column) >= 1
        assert "found" in message
    where = {entry.split(":")[1]: entry for entry in result}
    for word in ("Mars/Base", "planet", "2.5", "none.tsv", "three", "secrets"):
        [line] = [str(number) for number, text_line in enumerate(lines, 1) if word in text_line]
        assert word in where[line] or "Mars" in where[line]


def test_an_unknown_task(folder: Path) -> None:
    text = (folder / "campaign.toml").read_text()
    [problem] = problems(folder, text.replace('task = "tagging"', 'task = "cooking"'))
    assert problem.startswith("campaign.toml:7:8: found 'cooking', expected one of anaphora")


@pytest.mark.parametrize(
    "value",
    [
        "https://example.org/key.tsv", "s3://bucket/x", "//host/share", "file:///etc/passwd", "hf://a/b", "/etc/passwd",
        "../outside.tsv", "keys/../../x", "data:text/plain,x", "a\\\\b",
    ],
)  # fmt: skip
def test_nothing_names_anything_outside_the_folder(folder: Path, value: str) -> None:
    text = (folder / "campaign.toml").read_text()
    for old, new in (
        ('key = "keys/try.tsv"', f'key = "{value}"'),
        ('tagset = "upos"', f'tagset = "{value}"'),
        ('tagset = "upos"', f'lexicon = "{value}"'),
        ('licence = "licence.txt"', f'licence = "{value}"'),
    ):
        assert old in text
        assert problems(folder, text.replace(old, new))


@pytest.mark.parametrize("value", ["os:system", "mine.measures:LINKS", "mean(os:system, accuracy)"])
def test_nothing_names_a_module(folder: Path, value: str) -> None:
    text = (folder / "campaign.toml").read_text()
    [problem] = problems(folder, text.replace('measures = ["accuracy"]', f'measures = ["{value}"]'))
    assert "loads no module" in problem


def test_a_link_out_of_the_folder_is_refused(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.tsv").write_text("a\tNOUN\n")
    (folder / "keys" / "link.tsv").symlink_to(tmp_path / "secret.tsv")
    text = (folder / "campaign.toml").read_text()
    [problem] = problems(folder, text.replace("keys/try.tsv", "keys/link.tsv"))
    assert "leads out of the folder" in problem


def test_broken_toml_has_a_place(folder: Path) -> None:
    text = (folder / "campaign.toml").read_text()
    [problem] = problems(folder, text + "\n[oops\n")
    assert problem.startswith(f"campaign.toml:{text.count(chr(10)) + 2}:")


def test_what_a_file_of_the_protocol_holds_is_part_of_it(folder: Path) -> None:
    before = read_protocol(folder).digest
    assert read_protocol(folder).digest == before
    (folder / "licence.txt").write_text("another licence\n")
    assert read_protocol(folder).digest != before


def test_deadlines_are_in_order_and_phases_can_be_left_out(folder: Path) -> None:
    text = (folder / "campaign.toml").read_text()
    late = '[phases]\n"dry run" = "2026-06-28 23:59 AoE"\ntest = "2026-03-28 23:59 AoE"\n'
    [problem] = problems(folder, text.replace("[phases]\n", late))
    assert "before that of dry run" in problem
    without = parse_protocol(text.replace("[phases]\n", '[phases]\ntraining = false\n"dry run" = false\n'), folder)
    assert without.phases == ("call", "test", "test adjudication", "publication", "archive")
    [problem] = problems(folder, text.replace("[phases]\n", "[phases]\ntest = false\n"))
    assert "every campaign" in problem


ODD = [
    "5", "nan", "true", '""', '"/"', '"\\u0000"', "[]", '["x"]', "[{}]", "{ x = { y = [] } }", "1979-05-27",
    "0001-01-01T00:00:00+14:00", '"0001-01-01 00:00 Asia/Tokyo"', "9" * 30, f'"{"x" * 5000}"',
]  # fmt: skip
"""Values of every type, and some that are hard to compute with."""
MORE = """annotators = { ann = "keys/final.tsv", ben = "keys/try.tsv" }
texts = "keys/final.tsv"
format = "tsv"
"""


def test_whatever_stands_in_the_place_of_a_value_or_a_table_is_read_or_refused(folder: Path) -> None:
    text = (folder / "campaign.toml").read_text()
    text = re.sub(r'\[\[data\]\]\nname = "t(?:ry|rain)".*?(?=\[)', "", text, flags=re.S).replace("# test =", "test =")
    text = text.replace("# names =", "names =").replace("[scoring]", f"{MORE}\n[scoring]")
    assert parse_protocol(text, folder)
    lines = text.splitlines()
    values = [number for number, line in enumerate(lines) if " = " in line and not line.startswith("#")]
    damaged = [
        "\n".join([*lines[:number], f"{lines[number].partition(' = ')[0]} = {odd}", *lines[number + 1 :]])
        for number in values
        for odd in ODD
    ]
    parts = re.split(r"\n(?=\[)", text)
    for table in dict.fromkeys(re.findall(r"^\[+(\w+)", text, re.M)):
        rest = "\n".join(part for part in parts if not re.match(rf"\[+{table}\b", part))
        damaged += [f"{table} = {odd}\n{rest}" for odd in ODD]
    refused = 0
    for item in damaged:
        try:
            parse_protocol(item, folder)
        except InputError as error:
            assert error.problems
            refused += 1
    assert refused > len(damaged) / 2
