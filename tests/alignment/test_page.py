"""The tables of docs/any-output.md are what the script prints, and the authors' own scores come out."""

from __future__ import annotations

import itertools
import json
import os
import re
import runpy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aune.alignment.projection import TokenisedText
from aune.alignment.string_placement import Occurrences, place_in_order
from aune.contract import registry
from aune.reading.corpus import read
from aune.tasks.entities.realignment import realign_responses

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = runpy.run_path(str(ROOT / "docs" / "any_output.py"))


@pytest.mark.parametrize("name", ["conventions", "czech", "tokens"])
def test_tables_are_current(data: Path, name: str) -> None:
    page = (ROOT / "docs" / "any-output.md").read_text("utf-8")
    shown = re.search(rf"<!-- table: {name} -->\n(.*?)<!-- end -->", page, re.DOTALL)
    assert shown
    if name == "conventions" and not os.environ.get("AUNE_FULL"):  # its last rows take long, and differ by an option
        rows = itertools.islice(SCRIPT["TABLES"][name](), 6)
        assert shown[1].startswith(SCRIPT["markdown"](rows)), "run docs/any_output.py"
    else:
        assert shown[1] == SCRIPT["markdown"](SCRIPT["TABLES"][name]()), "run docs/any_output.py"


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("qwen2.5-72b", (79, 27, 47)),
        ("qwen2.5-14b", (63, 19, 63)),
        ("llama3.1-70b", (61, 39, 65)),
        ("deepseek-r1-70b", (37, 3, 89)),
        ("deepseek-r1-70b, Czech prompt", (67, 6, 59)),
    ],
)
def test_the_authors_scores_come_out_under_their_convention(
    data: Path, model: str, expected: tuple[int, int, int]
) -> None:
    correct, actual, wanted = SCRIPT["marked_as_the_authors_do"](SCRIPT["CZECH"][model])
    assert (correct, actual - correct, wanted - correct) == expected


def test_inventing_costs_where_it_should() -> None:
    page = (ROOT / "docs" / "any-output.md").read_text("utf-8")
    table = page.split("<!-- table: conventions -->\n")[1].split("<!-- end -->")[0].splitlines()[2:]
    for name, plain, invented in ([cell.strip() for cell in line.strip("|").split("|")] for line in table):
        dropped = name.endswith(("not found: dropped", "not found: ignored"))
        assert (plain == invented) if dropped else (float(plain) > float(invented)), name


def test_places_checked_by_eye(data: Path) -> None:
    """A hundred things of real answers that do not stand in the key as written; each place was looked at."""
    lines = (Path(__file__).parent / "checked_by_eye.tsv").read_text("utf-8").splitlines()
    assert len(lines) == 100
    checked = [line.split("\t") for line in lines]
    for folder, model in sorted({(row[0], row[1]) for row in checked}):
        result = placings(folder, model)
        for _, _, name, number, start, end, status in (row for row in checked if row[:2] == [folder, model]):
            placement = result[name][int(number)].placement
            assert (placement.start, placement.end, placement.status.name) == (int(start), int(end), status)


def placings(folder: str, model: str) -> dict[str, Any]:
    """What of a model's answers does not stand in the key as written, by document."""
    keys = {key.id: key for key in SCRIPT["key_of"](folder.replace("strings", "tokens"))}
    if folder == "biodivner-strings":
        rows = map(json.loads, (SCRIPT["DATA"] / "llm" / folder / "gold.jsonl").read_text("utf-8").splitlines())
        same = {row["id"]: [name for name in row["same_sentence_in_tokens_set"] if name in keys] for row in rows}
        keys = {name: replace(keys[names[0]], id=name) for name, names in same.items() if names}
    form = {"biodivner-tokens": "llm_json", "biodivner-strings": "llm_lines"}.get(folder, "inline_text")
    file = SCRIPT["DATA"] / "llm" / folder / "answers.jsonl"
    answers = read(registry.task("entities"), file, form, model=model, unreadable="skip").documents
    pairs = [(keys[answer.id], answer) for answer in answers if answer.id in keys]
    realign = "words" if form == "inline_text" else "none"
    _, records = realign_responses(pairs, realign, "in-order", "count", "unplaced")
    return {record.document: record.items for record in records}


def test_places_in_order_that_are_not_those_of_the_spans(data: Path) -> None:
    """The earliest and the latest places of the systems' strings, as the page has them."""
    strings = earliest = latest = 0
    for system in SCRIPT["SYSTEMS"]:
        for words, spans in SCRIPT["marked_sentences"](system):
            truth = [(span.start, span.end) for span in spans]
            listed = [" ".join(words[start:end]) for start, end in truth]
            labels = [span.label for span in spans]
            mirrored = [" ".join(reversed(string.split(" "))) for string in reversed(listed)]
            early = place_in_order(Occurrences(TokenisedText.from_tokens(words)), listed, labels)
            late = place_in_order(Occurrences(TokenisedText.from_tokens(words[::-1])), mirrored, labels[::-1])[::-1]
            strings += len(truth)
            earliest += sum(it[:2] != span for it, span in zip(early, truth, strict=True))
            latest += sum(
                (len(words) - it[1], len(words) - it[0]) != span for it, span in zip(late, truth, strict=True)
            )
    page = " ".join((ROOT / "docs" / "any-output.md").read_text("utf-8").split())
    assert f"In order, {earliest} of the systems' {strings:,} strings go to another place" in page
    assert f"The latest places that keep the order would be worse: {latest} are wrong" in page
