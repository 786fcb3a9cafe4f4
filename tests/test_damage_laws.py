"""The law of damage: in every format of every task, a damaged response is scored as it deserves, or reported.

The response is the key itself, to which something happens that happens to real files. What changes nothing about the
annotation (other numbers of chains, another order of documents) leaves the perfect value; everything else is refused or
has a warning. A new format or task is tested without a line here, except that a task names its damages.
"""

from __future__ import annotations

import copy
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import aune
from aune.contract import registry
from aune.explain.annotators import annotators_agreement
from aune.reading.corpus import read
from tests.evaluation import corpora

Record = dict[str, Any]
Damage = Callable[[list[Record]], list[Record]]
COUNT = 12  # records of a key
TEXT_FIELDS = ("text", "tokens", "words", "sentences")


def change_text(change: Callable[[str], str]) -> Damage:
    """The damage that changes every word of a text, wherever a record has it."""

    def change_value(value: Any) -> Any:
        if isinstance(value, str):
            return " ".join(change(word) for word in value.split())
        return [change_value(item) for item in value] if isinstance(value, list) else value

    return lambda records: [
        {name: change_value(value) if name in TEXT_FIELDS else value for name, value in record.items()}
        for record in records
    ]


def change_names(change: Callable[[str], str]) -> Damage:
    """The damage that changes the name of every record."""
    return lambda records: [
        {name: change(value) if name in ("id", "doc_key", "document") else value for name, value in record.items()}
        for record in records
    ]


def change_labels(change: Callable[[str], str]) -> Damage:
    """The damage that changes the label of every entity, or every tag."""

    def change_value(record: Record) -> Record:
        if "tags" in record:
            return {**record, "tags": [change(tag) for tag in record["tags"]]}
        return {**record, "entities": [{**span, "label": change(span["label"])} for span in record["entities"]]}

    return lambda records: [change_value(record) for record in records]


def other_word(word: str) -> str:
    return re.sub(r"\w", "x", word) + "q"


def without_annotation(records: list[Record]) -> list[Record]:
    """Records from which everything that was annotated is gone."""
    empty: Record = {"entities": [], "clusters": [], "text": ""}

    def change_value(record: Record) -> Record:
        lists: Record = {}
        if "tags" in record:
            lists = {"tags": [""] * len(record["tags"])}
        if "anaphors" in record:
            lists = {"anaphors": [{**item, "antecedents": []} for item in record["anaphors"]]}
        return {**{name: empty.get(name, value) for name, value in record.items()}, **lists}

    return [change_value(record) for record in records]


def without_token(number: int) -> Damage:
    """One token of every text is lost, so that everything after it is one place further to the front."""

    def move_items(start: int) -> int:
        return start - (start > number)

    def entity_record(record: Record) -> Record:
        spans = [
            {**span, "start": move_items(span["start"]), "end": move_items(span["end"])}
            for span in record["entities"]
            if not span["start"] <= number < span["end"]
        ]
        tokens = [token for place, token in enumerate(record["tokens"]) if place != number]
        return {**record, "tokens": tokens, "entities": spans, "sentences": [0]}

    def coref_record(record: Record) -> Record:
        first, *rest = record["sentences"]
        chains = [[[move_items(a), move_items(b)] for a, b in chain if a != number] for chain in record["clusters"]]
        left = [token for place, token in enumerate(first) if place != number]
        return {**record, "sentences": [left, *rest], "clusters": [chain for chain in chains if chain]}

    def tagged_record(record: Record) -> Record:
        lists = {name: [v for place, v in enumerate(record[name]) if place != number] for name in ("words", "tags")}
        return {**record, **lists, "sentences": [0]} if len(record["words"]) > number + 1 else record

    def change_value(record: Record) -> Record:
        return (entity_record if "entities" in record else coref_record if "clusters" in record else tagged_record)(
            record
        )

    return lambda records: [change_value(record) for record in records]


def moved_places(start_by: int, end_by: int) -> Damage:
    """Every place is counted otherwise; what would be empty or beyond the text is lost."""

    def change_value(record: Record) -> Record:
        spans = [
            {**span, "start": span["start"] + start_by, "end": span["end"] + end_by} for span in record["entities"]
        ]
        return {**record, "entities": [span for span in spans if span["end"] <= len(record["tokens"])]}

    return lambda records: [change_value(record) for record in records]


def add_accents(records: list[Record]) -> list[Record]:
    """Records whose words have a letter outside ASCII, which damages of the encoding change."""
    return change_text(lambda word: f"{word}é")(records)


SHARED: dict[str, Damage] = {
    "truncated": lambda records: records[:5],
    "one record left": lambda records: records[:1],
    "emptied": without_annotation,
    "repeated": lambda records: [*records, *copy.deepcopy(records)],
    "other names": change_names(lambda name: f"{name}-x"),
}
OF_TEXT: dict[str, Damage] = {
    "capitals in the text": change_text(str.upper),
    "another text": change_text(other_word),
    "soft hyphens": change_text(lambda word: f"{word[:1]}\u00ad{word[1:]}"),
    "mojibake": change_text(lambda word: word.encode().decode("latin-1")),
    "decomposed letters": change_text(lambda word: unicodedata.normalize("NFD", word)),
}
OF_PLACES: dict[str, Damage] = {"one place later": moved_places(1, 1), "longer by one": moved_places(0, 1)}
OF_LABELS: dict[str, Damage] = {
    "capitals in labels": change_labels(str.swapcase),
    "other labels": change_labels(lambda label: f"KIND{len(label)}Z"),
}
DAMAGES: dict[str, dict[str, Damage]] = {
    "anaphora": {
        "other antecedents": lambda records: [
            {**record, "anaphors": [{**item, "antecedents": ["elsewhere"]} for item in record["anaphors"]]}
            for record in records
        ],
    },
    "coref": {
        **OF_TEXT,
        "a token lost": without_token(2),
        "other numbers of chains": lambda records: [
            {**record, "clusters": record["clusters"][::-1]} for record in records
        ],
    },
    "entities": {**OF_TEXT, **OF_PLACES, **OF_LABELS, "a token lost": without_token(2)},
    "speech": {**OF_TEXT, "rotated": lambda records: [
        {**record, "text": other["text"]} for record, other in zip(records, [*records[1:], records[0]], strict=True)
    ]},
    "tagging": {**OF_TEXT, **OF_LABELS, "a token lost": without_token(1)},
}  # fmt: skip


SHIFTED = "positions without a text: nothing shows that they are one place further to the front"
DESERVED = {
    ("speech", "ctm", "another text"): "the first word of every utterance is right, and nothing else",
    ("coref", "partition", "a token lost"): SHIFTED,
    ("coref", "booknlp", "a token lost"): SHIFTED,
    ("entities", "booknlp", "a token lost"): SHIFTED,
    ("entities", "ace_jsonl", "a token lost"): SHIFTED,
    ("entities", "apf", "a token lost"): SHIFTED,
    ("anaphora", "coref", "other antecedents"): "the chains are others, of the same mentions",
}
"""Where a lower score without a note is what the damage deserves."""
LOSSES = ("truncated", "one record left", "emptied", "repeated")
"""Damages that are never scored without a note, whatever the score is."""


def cases() -> Iterator[Any]:
    for task, damages in DAMAGES.items():
        for form in registry.formats(task):
            for name, damage in {**SHARED, **damages}.items():
                yield pytest.param(task, form.name, name, damage, id=f"{task}-{form.name}-{name}")


class Outcome(NamedTuple):
    """What scoring a damaged response gives."""

    refused: str
    value: float | None
    perfect: float
    warnings: Sequence[str]


def outcome(task: str, form: str, damage: Damage, folder: Path) -> Outcome | None:
    """The score of a damaged key against the key; None where the damage does not show in the format."""
    key = add_accents(corpora.records(task, COUNT)[0])
    damaged = damage(copy.deepcopy(key))
    folders = [folder / name for name in ("before", "after")]
    for place in folders:
        place.mkdir()
    path, [whole], options = _files(folders[0], task, form, key, [key])
    _, [response], _ = _files(folders[1], task, form, key, [damaged])
    if _contents(whole) == _contents(response):
        return None
    ranking = registry.task(task).ranking
    try:
        result = aune.score(task, path, response, measures=[ranking], **options)
    except aune.AuneError as error:
        return Outcome(str(error), None, 0, ())
    score = result[ranking]
    return Outcome("", score.main, score.measure.perfect_of(score.measure.headline), result.warnings)


def _files(
    folder: Path, task: str, form: str, key: list[Record], responses: list[list[Record]]
) -> tuple[str, list[str], dict[str, Any]]:
    path, written, options = corpora.files(
        folder, task, form, key, {f"r{number}": records for number, records in enumerate(responses)}
    )
    return path, list(written.values()), options


def _contents(path: str) -> list[tuple[str, bytes]]:
    paths = sorted(Path(path).iterdir()) if Path(path).is_dir() else [Path(path)]
    return [(item.name if len(paths) > 1 else "", item.read_bytes()) for item in paths]


@pytest.mark.parametrize(("task", "form", "name", "damage"), list(cases()))
def test_a_damage_is_scored_as_it_deserves_or_reported(
    task: str, form: str, name: str, damage: Damage, tmp_path: Path
) -> None:
    result = outcome(task, form, damage, tmp_path)
    if result is None or result.refused or result.warnings:
        return
    assert (task, form, name) in DESERVED or result.value == result.perfect, f"{result.value} without a warning"
    assert name not in LOSSES, "scored without a note"


# Annotators one of whose files is damaged.


OTHER_JUDGEMENTS = {"other labels", "other antecedents", *OF_PLACES}
"""Damages that people could have meant."""


def annotator_cases() -> Iterator[Any]:
    for task, damages in DAMAGES.items():
        for form in registry.formats(task) if registry.task(task).agreement.judgements else ():
            chosen = {"truncated": SHARED["truncated"], **damages}
            for name, damage in chosen.items():
                if name not in OTHER_JUDGEMENTS and form.name not in corpora.ANSWERS:
                    yield pytest.param(task, form.name, name, damage, id=f"{task}-{form.name}-{name}")


@pytest.mark.parametrize(("task", "form", "name", "damage"), list(annotator_cases()))
def test_agreement_with_a_damaged_file_is_perfect_or_has_a_note(
    task: str, form: str, name: str, damage: Damage, tmp_path: Path
) -> None:
    """Positions in tokens and in characters, and texts of different lengths, were compared in silence."""
    key = add_accents(corpora.records(task, COUNT)[0])
    _, [path, damaged], _ = _files(tmp_path, task, form, key, [key, damage(copy.deepcopy(key))])
    options = corpora.OPTIONS.get(f"{task}.{form}", {})
    try:
        result = annotators_agreement(task, {"whole": path, "damaged": damaged}, input_format=form, **options)
    except aune.AuneError:
        return
    if (task, form, name) in DESERVED or result.warnings:
        return
    assert {score.main for score in result.scores} <= {1.0, None}, name


# Files that end early, and files of another format.


def files_of_second_half(response: Path) -> list[Path]:
    """A file, or the annotations in the second half of a folder."""
    if response.is_file():
        return [response]
    files = [file for file in sorted(response.iterdir()) if file.suffix != ".txt"]  # the text beside an annotation
    return files[len(files) // 2 :]


def cut_in_half(file: Path) -> None:
    lines = file.read_text("utf-8").splitlines(keepends=True)
    text = "".join(lines[: len(lines) // 2]) if len(lines) > 1 else file.read_text("utf-8")[: file.stat().st_size // 2]
    file.write_text(text, "utf-8")


@pytest.mark.parametrize(("task", "form"), [(task, form.name) for task in DAMAGES for form in registry.formats(task)])
def test_a_file_that_ends_early_is_reported(task: str, form: str, tmp_path: Path) -> None:
    """Half of the files, lines or characters of a response: a copy or a download that stopped."""
    key, _ = corpora.records(task, COUNT)
    path, [response], options = _files(tmp_path, task, form, key, [key])
    last, *lost = files_of_second_half(Path(response))
    cut_in_half(last)
    for file in lost:
        file.unlink()
    try:
        result = aune.score(task, path, response, measures=[registry.task(task).ranking], **options)
    except aune.AuneError:
        return
    assert result.warnings, result[registry.task(task).ranking].main


ITEMS: dict[str, Callable[[Any], int]] = {
    "anaphora": lambda document: len(document.anaphors),
    "coref": len,
    "entities": len,
    "speech": lambda document: sum(len(utterance.words) for utterance in getattr(document, "utterances", (document,))),
    "tagging": len,
}
"""How many items a document has."""


def pairs_of_formats() -> Iterator[tuple[str, str, str]]:
    for task in DAMAGES:
        names = [form.name for form in registry.formats(task) if form.name not in corpora.ANSWERS]
        yield from ((task, first, second) for first in names for second in names if first != second)


@pytest.mark.parametrize(("task", "form", "other"), list(pairs_of_formats()))
def test_a_file_read_as_another_format_is_reported(task: str, form: str, other: str, tmp_path: Path) -> None:
    """A file of which less than half is understood is refused or has a warning."""
    key, _ = corpora.records(task, COUNT)
    path = corpora.write_text(tmp_path, "key", task, form, key)
    expected = sum(
        map(ITEMS[task], read(registry.task(task), path, form, **corpora.OPTIONS.get(f"{task}.{form}", {})).documents)
    )
    try:
        corpus = read(registry.task(task), path, other)
    except aune.AuneError:
        return
    assert sum(map(ITEMS[task], corpus.documents)) >= expected / 2 or corpus.warnings


def test_every_task_has_its_damages() -> None:
    assert set(DAMAGES) == set(registry.task_names())
    assert {(task, form) for task, form, _ in DESERVED} <= {
        (task, form.name) for task in DAMAGES for form in registry.formats(task)
    }
