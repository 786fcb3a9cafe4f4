"""Damaged files beside the inputs (tables, typologies, tagsets, lexicons, rules, models, results): read or refused."""

from __future__ import annotations

import random
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aune
from aune.baselines.coref.activation import read_parameters
from aune.core.errors import AuneError
from aune.meta.impact import read_scores
from aune.meta.judgements import read_judgements
from aune.tasks.entities.pairing.referents import worth
from aune.tasks.entities.typology import typology
from aune.tasks.speech.atene import maxent, severity
from aune.tasks.speech.atene.features import Lexica, Lexicon
from aune.tasks.speech.measures.content_wer import stop_words
from aune.tasks.speech.measures.oov_wer import known_words
from aune.tasks.speech.text.normalisation import replacements
from aune.tasks.tagging.grace.table import table
from aune.tasks.tagging.grace.tagset import tagset
from aune.tasks.tagging.lexicon import words_of
from tests.fuzz.mutants import SIGNS, mutated

COUNT = 60
SCORES = b"system,measure,score,document\na,wer,0.5,d1\nb,wer,0.25,d1\n"
JUDGEMENTS = b"document,first,second,preferred\nd1,a,b,a\nd2,a,b,\n"
TABLE = b'pivot = ["Ncms", "Vm"]\n[table]\nNC = ["Ncms"]\nV = "Vm"\n'


def shipped(package: str, *path: str) -> bytes:
    return files(package).joinpath(*path).read_bytes()


def model(folder: Path) -> bytes:
    weights = {which: np.zeros((4, 3), np.float32) for which in maxent.MODELS}
    bias = {which: np.zeros(3, np.float32) for which in maxent.MODELS}
    lexica = Lexica(*(Lexicon(["a", "b"]) for _ in Lexica._fields))
    maxent.save(maxent.Model(("word",), ("PER", "LOC"), lexica, np.arange(3), weights, bias), str(folder / "whole.npz"))
    return (folder / "whole.npz").read_bytes()


def costs(folder: Path) -> bytes:
    severity.save(severity.Weights({"a": 1.0}, {"b": 2.0}, frozenset({"c"})), str(folder / "whole.json"))
    return (folder / "whole.json").read_bytes()


def result(folder: Path) -> bytes:
    aune.save(aune.evaluate("tagging", [("a", "N")], {"one": [("a", "N")]}), folder)
    return (folder / "result.json").read_bytes()


READERS: dict[str, tuple[str, Callable[[Path], bytes], Callable[[str], Any]]] = {
    "typology": (".toml", lambda _: shipped("aune.tasks.entities", "typologies", "quaero.toml"), typology),
    "ACE weights": (".toml", lambda _: shipped("aune.tasks.entities", "typologies", "ace.toml"), worth),
    "tagset": (".toml", lambda _: shipped("aune.tasks.tagging.grace", "tagsets", "upos.toml"), tagset),
    "table": (".toml", lambda _: TABLE, table),
    "table of lines": (".tsv", lambda _: b"# pivot = Ncms|Vm\nNC\tNcms\nV\tVm\n", table),
    "parameters": (".toml", lambda _: shipped("aune.baselines.coref", "activation.toml"), read_parameters),
    "replacements": (".glm", lambda _: b";; rules\n[can not] => [cannot] / [ ] __ [ ]\nok\tokay\n", replacements),
    "stop words": (".txt", lambda _: b"the\na\n", stop_words),
    "vocabulary": (".txt", lambda _: b"the 3\na 4\n", known_words),
    "words": (".txt", lambda _: b"the\na\n", words_of),
    "model": (".npz", model, maxent.load),
    "costs of errors": (".json", costs, severity.load),
    "scores": (".csv", lambda _: SCORES, read_scores),
    "judgements": (".csv", lambda _: JUDGEMENTS, read_judgements),
}


@pytest.mark.parametrize("name", READERS)
def test_damaged_files_beside_the_inputs(tmp_path: Path, name: str) -> None:
    suffix, whole, read = READERS[name]
    data = whole(tmp_path)
    generator = random.Random(f"1 {name}")
    deep = [b"a = " + b"[" * 20_000, b'{"scores": ' + b"[" * 20_000, b"[" + b"a." * 20_000 + b"a]"]
    mutants = [*deep, *(_damaged(generator, data) for _ in range(COUNT))]
    (tmp_path / f"good{suffix}").write_bytes(data)
    read(str(tmp_path / f"good{suffix}"))
    for number, mutant in enumerate(mutants):
        path = tmp_path / f"{number}{suffix}"
        path.write_bytes(mutant)
        _tried(lambda path=path: read(str(path)), mutant)  # type: ignore[misc]


def test_damaged_results(tmp_path: Path) -> None:
    data = result(tmp_path)
    aune.load(tmp_path)
    generator = random.Random("1 result")
    for mutant in [b"[" * 20_000, b"[]", b'{"version": 1}', *(_damaged(generator, data) for _ in range(COUNT))]:
        (tmp_path / "result.json").write_bytes(mutant)
        _tried(lambda: aune.load(tmp_path), mutant)


@pytest.mark.parametrize("name", READERS)
def test_no_file_a_folder_or_a_device_in_its_place(tmp_path: Path, name: str) -> None:
    suffix, _, read = READERS[name]
    (tmp_path / f"folder{suffix}").mkdir()
    (tmp_path / f"folder{suffix}" / "a").write_text("x")
    (tmp_path / f"folder{suffix}" / "b").write_text("x")
    (tmp_path / f"zero{suffix}").symlink_to("/dev/zero")
    for path in (f"nothing{suffix}", f"folder{suffix}", f"zero{suffix}"):
        with pytest.raises(AuneError):
            read(str(tmp_path / path))


def _damaged(generator: random.Random, data: bytes) -> bytes:
    for _ in range(generator.randint(1, 3)):
        data = mutated(generator, data, [*SIGNS, data])
    return data[:100_000]


def _tried(read: Callable[[], Any], data: bytes) -> None:
    try:
        read()
    except AuneError:
        pass
    except Exception as error:
        raise AssertionError(f"{type(error).__name__}: {error} on {data[:300]!r}") from error
