"""Damaged files beside the inputs (tables, typologies, tagsets, lexicons, rules, models, results): read or refused."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from importlib.resources import files
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

import aune
from aune.baselines.coref.activation import read_parameters
from aune.errors import AuneError
from aune.meta.impact import read_scores
from aune.meta.judgements import read_judgements
from aune.tasks.speech.atene import error_weights, maxent
from aune.tasks.speech.atene.features import Lexica, Lexicon

if __package__:
    from tests.fuzz import rooms, sites
    from tests.fuzz.mutants import SIGNS, mutate_data
    from tests.fuzz.structures import replan_archive, restructure_file
else:  # run as a script, this folder comes first
    import rooms
    import sites
    from mutants import SIGNS, mutate_data
    from structures import replan_archive, restructure_file

SCORES = b"system,measure,score,document\na,wer,0.5,d1\nb,wer,0.25,d1\n"
JUDGEMENTS = b"document,first,second,preferred\nd1,a,b,a\nd2,a,b,\n"
TABLE = b'pivot = ["Ncms", "Vm"]\n[table]\nNC = ["Ncms"]\nV = "Vm"\n'


def shipped_file(package: str, *path: str) -> bytes:
    return files(package).joinpath(*path).read_bytes()


def model(folder: Path) -> bytes:
    weights = {which: np.zeros((4, 3), np.float32) for which in maxent.MODELS}
    bias = {which: np.zeros(3, np.float32) for which in maxent.MODELS}
    lexica = Lexica(*(Lexicon(["a", "b"]) for _ in Lexica._fields))
    maxent.save(
        maxent.Model(("words",), ("PER", "LOC"), lexica, np.arange(3), weights, bias), str(folder / "whole.npz")
    )
    return (folder / "whole.npz").read_bytes()


def costs(folder: Path) -> bytes:
    error_weights.save(error_weights.ErrorWeights({"a": 1.0}, {"b": 2.0}, frozenset({"c"})), str(folder / "whole.json"))
    return (folder / "whole.json").read_bytes()


def result(folder: Path) -> bytes:
    aune.save(aune.evaluate("tagging", [("a", "N")], {"one": [("a", "N")]}), folder)
    return (folder / "result.json").read_bytes()


def save_events(folder: Path) -> bytes:
    result(folder)
    return aune.load(folder).to_json().encode()


def rows(folder: Path) -> bytes:
    result(folder)
    return (folder / "table-0.parquet").read_bytes()


def load_file(path: str, name: str) -> list[dict[str, Any]]:
    """What is in a folder of rows when this file is in the place of one of its own."""
    Path(path).replace(Path(path).with_name(name))
    return list(aune.load(Path(path).parent).records())


SIDES: dict[str, tuple[Any, Any]] = {
    "entities": (
        {"d": {"tokens": list("abcdef"), "spans": [(0, 2, "pers.ind"), (0, 1, "name.first"), (3, 4, "PER")]}},
        {"d": {"tokens": list("abcdef"), "spans": [(0, 2, "pers.coll"), (0, 1, "name.last"), (3, 5, "PER")]}},
    ),
    "speech": ([{"text": "ann can not see the rain ok", "entities": [[0, 1, "PER"]]}], ["and cannot see a train okay"]),
    "tagging": ({"d": [("a", "Ncms"), ("the", "NOUN")]}, {"d": [("a", "NC"), ("the", "V")]}),
}  # fmt: skip
"""A key and a response of each task, small ones with errors."""


def score_with_option(task: str, measures: str, option: str) -> Callable[[str], None]:
    """How a file is read and used: what can be read gives finite numbers, or none, whatever it holds."""

    def read(path: str) -> None:
        result = aune.score(task, *SIDES[task], measures=measures.split(), **{option: path})
        values = [record["score"] for record in result.records()]
        assert all(value is None or isfinite(value) for value in values), values

    return read


READERS: dict[str, tuple[str, Callable[[Path], bytes], Callable[[str], Any]]] = {
    **rooms.READERS,
    **sites.READERS,
    "typology": (
        ".toml",
        lambda _: shipped_file("aune.typologies", "quaero.toml"),
        score_with_option("entities", "eter ser", "typology"),
    ),
    "ACE weights": (
        ".toml",
        lambda _: shipped_file("aune.typologies", "ace.toml"),
        score_with_option("entities", "ace_value", "ace_weights"),
    ),
    "tagset": (
        ".toml",
        lambda _: shipped_file("aune.tasks.tagging.grace", "tagsets", "upos.toml"),
        score_with_option("tagging", "all", "tagset"),
    ),
    "table": (".toml", lambda _: TABLE, score_with_option("tagging", "accuracy", "table")),
    "table of lines": (
        ".tsv",
        lambda _: b"# pivot = Ncms|Vm\nNC\tNcms\nV\tVm\n",
        score_with_option("tagging", "accuracy", "table"),
    ),
    "parameters": (".toml", lambda _: shipped_file("aune.baselines.coref", "activation.toml"), read_parameters),
    "replacements": (
        ".glm",
        lambda _: b";; rules\n[can not] => [cannot] / [ ] __ [ ]\nok\tokay\n",
        score_with_option("speech", "wer", "normalise"),
    ),
    "stop words": (".txt", lambda _: b"the\na\n", score_with_option("speech", "content_wer", "stop")),
    "vocabulary": (".txt", lambda _: b"the 3\na 4\n", score_with_option("speech", "oov_wer", "vocabulary")),
    "words": (".txt", lambda _: b"the\na\n", score_with_option("tagging", "all", "lexicon")),
    "model": (".npz", model, score_with_option("speech", "atene_i", "model")),
    "costs of errors": (".json", costs, score_with_option("speech", "severity", "weights")),
    "scores": (".csv", lambda _: SCORES, read_scores),
    "judgements": (".csv", lambda _: JUDGEMENTS, read_judgements),
    "result": (".json", result, lambda path: load_file(path, "result.json")),
    "saved result": (".json", save_events, lambda path: list(aune.load(path).records())),
    "rows": (".parquet", rows, lambda path: load_file(path, "table-0.parquet")),
}


LONG = 60_000  # bytes: enough for a pattern that goes back and forth to take minutes
LONG_PIECES = [b"a", b"a.", b"a-", b"a ", b"0", b"a:", b'"a",', b"a=", b"[a", b"\\", b"/", b"a@", b"\t", b"\n"]
DEEP = [
    b"a = " + b"[" * 20_000,
    b'{"scores": ' + b"[" * 20_000,
    b"[" + b"a." * 30_000 + b"a]",
    b"a." * 60_000 + b"a = 1",
    b'"a" . ' * 20_000 + b"a = 1",
    b"[]",
    b"[" * 20_000,
]


def trials(seed: int, count: int, name: str) -> Iterator[tuple[bytes, Callable[[], bool]]]:
    """Damaged files of one kind, the same for the same seed, each with how to find out whether it was refused."""
    suffix, whole, read = READERS[name]
    generator = random.Random(f"{seed} {name}")
    with tempfile.TemporaryDirectory() as made:
        data = whole(Path(made))
        (Path(made) / f"good{suffix}").write_bytes(data)
        read(str(Path(made) / f"good{suffix}"))
        mutants = (damage_text(generator, data, suffix) for _ in range(count))
        for number, mutant in enumerate([*([] if suffix == rooms.PLANNED else DEEP), *mutants]):
            yield mutant, partial(is_refused, read, Path(made) / f"{number}{suffix}", mutant)


def damage_text(generator: random.Random, data: bytes, suffix: str) -> bytes:
    if suffix == rooms.PLANNED:
        return replan_archive(generator, data)
    if generator.randrange(2) and (other := restructure_file(generator, data, suffix)) != data:
        return other
    for _ in range(generator.randint(1, 3)):
        data = mutate_data(generator, data, [*SIGNS, data])
    if not generator.randrange(10):
        place, piece = generator.randint(0, len(data)), generator.choice(LONG_PIECES)
        data = data[:place] + piece * (LONG // len(piece)) + data[place:]
    return data[: 2 * LONG]


def is_refused(read: Callable[[str], Any], path: Path, data: bytes) -> bool:
    """Whether a file was refused; anything but a problem of it is raised."""
    path.write_bytes(data)
    try:
        read(str(path))
    except AuneError:
        return True
    return False
