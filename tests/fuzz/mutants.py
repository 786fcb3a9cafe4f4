"""Damaged files: the samples of every format with pieces taken out, put in, repeated, moved and made enormous."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import pytest

from aune.contract import registry
from aune.errors import InputError, UsageError
from aune.reading.source import Source
from aune.tasks.coref.mentions.preparation import select_mentions
from aune.tasks.coref.model import Document as Chains
from aune.tasks.entities.model import Document as Entities
from aune.tasks.entities.model import make_document as entities_document
from aune.tasks.entities.model import spans_of
from aune.tasks.tagging.model import Document as Tagged
from aune.tasks.tagging.model import Vocabulary, alternatives, choose_column

if __package__:
    from tests.fuzz.damage import SIGNS, mutate_data
    from tests.fuzz.laws import check_kept, check_order, check_pieces, check_places, facts_of, read
    from tests.fuzz.soundness import unsound
else:  # run as a script, this folder comes first
    from damage import SIGNS, mutate_data
    from laws import check_kept, check_order, check_pieces, check_places, facts_of, read
    from soundness import unsound

__all__ = ["SIGNS", "Mutant", "fate", "mutate_data", "trials"]
SAMPLES = Path(__file__).parent.parent / "tasks"
NASTY = [
    "(12)", "(", ")", "((a)", "{a ", "{a:b=", "}", "<!--", "<a ", "<aaaa", "<COREF ", "a=", '"', "[", "{", "a:", " ",
    "# x\n", "#end document\n", "T1\tA 0 1;", "Entity=(e1)", "\\", "é", "a\t", "# meta:: ", "&", "(e1[1/2])", "1,",
    "a/", "a_", "-1_",
]  # fmt: skip
STARTS = [
    "", "#begin document (a)\na\t", "a\t0\t1\t", "R1\tCoref ", "<COREF ID=", "{a ", "1" + "\t_" * 9 + "Entity=",
    "# global.columns = ID FORM IDENTITY BRIDGING\n1\ta\t_\t",
]  # fmt: skip
DEEPLY = 8  # one of so many mutants is scored, whole and in pieces
NOTICED = 0.5  # seconds: what takes less is not worth a doubt
LONG = 20_000  # characters: enough for a pattern that goes back and forth to take minutes


class Mutant(NamedTuple):
    """A damaged file, and the format that must survive it."""

    task: str
    format: str
    data: bytes
    text: bytes | None = None
    """What stands in the file of the text beside it, in formats that keep it apart."""


def mutants(seed: int, count: int, task: str, form: str) -> Iterator[Mutant]:
    """Damaged files of one format, the same for the same seed."""
    generator = random.Random(f"{seed} {task}.{form}")
    folder = SAMPLES / task / "formats" / "samples"
    here = [path for path in sorted(folder.iterdir()) if path.name.partition("-")[0] == form]
    others = [path.read_bytes() for path in sorted(folder.iterdir())]
    kindred = [path.read_bytes() for path in here] or others
    for _ in range(count):
        path = generator.choice(here) if here else None
        data, beside = path.read_bytes() if path else b"", path.with_suffix(".txt") if path else None
        text = beside.read_bytes() if beside and beside != path and beside.exists() else None
        for _ in range(generator.randint(1, 4)):
            data = mutate_data(generator, data, generator.choice((kindred, others)))
        yield Mutant(task, form, data[:200_000], text)


def long_inputs(seed: int, count: int, task: str, form: str) -> Iterator[tuple[Mutant, Mutant]]:
    """Long inputs that make careless patterns go back and forth, each with one that is twice as long."""
    generator = random.Random(f"{seed} {task}.{form} long")
    for _ in range(count):
        start, piece = generator.choice(STARTS), generator.choice(NASTY)
        once, twice = ((start + piece * (size // len(piece)) + "(").encode() for size in (LONG, 2 * LONG))
        yield Mutant(task, form, once), Mutant(task, form, twice)


def trials(seed: int, count: int, name: str) -> Iterator[tuple[bytes, Callable[[], bool]]]:
    """Damaged files of one format, each with how to find out whether it was refused."""
    task, _, form = name.partition(".")
    for number, mutant in enumerate(mutants(seed, count, task, form)):
        yield mutant.data, partial(is_refused, mutant, deeply=number % DEEPLY == 0)
    for once, twice in long_inputs(seed, count // 10, task, form):
        yield once.data, partial(is_refused, once)
        yield twice.data, partial(check_linear, once, twice)


def is_refused(mutant: Mutant, deeply: bool = False) -> bool:
    return fate(mutant, deeply) == "refused"


def check_linear(once: Mutant, twice: Mutant) -> bool:
    """Twice as much takes twice the time: looked at again where it took more, since the machine may be busy."""
    for _ in range(3):
        if _seconds(twice) < max(NOTICED, 3 * _seconds(once)):
            return False
    raise AssertionError("twice as long a file takes more than three times as long to be read")


def _seconds(mutant: Mutant) -> float:
    begun = time.process_time()
    with suppress(InputError):
        read(registry.format(mutant.task, mutant.format), Source("x", mutant.data))
    return time.process_time() - begun


def fate(mutant: Mutant, deeply: bool = True) -> str:
    """Read it; check, write and read again what could be read. What a user would be told, or '' when all went well.

    Anything but a problem of the file or a refusal is raised. Only some are looked at deeply, since scoring takes time.
    """
    with TemporaryDirectory() if mutant.text is not None else nullcontext() as folder:
        path = None if folder is None else Path(folder, "x.ann")
        if path and mutant.text is not None:
            path.with_suffix(".txt").write_bytes(mutant.text)
        return _fate(mutant, partial(Source, "x", mutant.data, path), deeply)


def _fate(mutant: Mutant, source: Callable[[], Source], deeply: bool) -> str:
    task, form = registry.task(mutant.task), registry.format(mutant.task, mutant.format)
    try:
        form.sniff(source().head)
        form.could_match(source().head)
        documents = read(form, source())
    except InputError as error:
        check_places(mutant.data, error)
        with pytest.raises(InputError) as again:
            read(form, source())
        assert again.value.problems == error.problems, "another reading gave other problems"
        return "refused"
    finally:
        if deeply and mutant.text is None:
            check_pieces(mutant.task, form, mutant.data)
    check_sound(mutant.task, documents)
    task.reading.check(documents)
    task.reading.content_counts(documents)
    assert facts_of(mutant.task, documents) == facts_of(mutant.task, read(form, source())), (
        "another reading gave other documents"
    )
    if mutant.text is None:
        check_order(mutant.task, form, mutant.data)
    if form.splice is not None:
        splice(mutant, source, documents)
    for other in registry.formats(mutant.task):
        if other.write is not None and documents:
            check_kept(mutant.task, other, documents, scored=deeply)
    return ""


def check_sound(task: str, documents: list[Any]) -> None:
    """Whatever could be read holds together."""
    if task == "coref":
        assert not any(result := [*map(unsound, documents)]), result


def splice(mutant: Mutant, source: Callable[[], Source], documents: list[Any]) -> None:
    """What did not change keeps its bytes; of the annotation, half can go or change, and the file says just that."""
    form = registry.format(mutant.task, mutant.format)
    assert form.splice is not None
    try:
        same = form.splice(source(), documents)
    except UsageError:
        return
    assert same == mutant.data, "an unchanged document gave other bytes"
    if mutant.task in EDITED:
        edited, annotation = EDITED[mutant.task]
        after = list(map(edited, documents))
        try:
            data = form.splice(source(), after)
        except UsageError:
            return
        again = read(form, Source("x", data, source().path))
        assert list(map(annotation, again)) == list(map(annotation, after)), "an edit made another annotation"


def _half_of_the_mentions(document: Chains) -> Chains:
    return select_mentions(document, np.arange(len(document)) % 2 == 0)


def _half_of_the_spans(document: Entities) -> Entities:
    remaining = {
        name: getattr(document, name) for name in ("length", "unit", "sentences", "words", "text", "path", "line")
    }
    return entities_document(document.id, spans_of(document)[::2], **remaining)


def _spans(document: Entities) -> list[tuple[Any, ...]]:
    return sorted((span.start, span.end, span.label, span.segments) for span in spans_of(document))


def _other_tags(document: Tagged) -> Tagged:
    """Every second word has the tag of the one before."""
    name = choose_column(document)
    values = document.column(name).values()
    shifted = [values[place - place % 2] for place in range(len(values))]
    return replace(document, columns={**document.columns, name: Vocabulary().encode(shifted)})


def _tags(document: Tagged) -> list[tuple[str, ...]]:
    name = choose_column(document)
    return [alternatives(value, name) for value in document.column(name).values()]


EDITED: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "coref": (_half_of_the_mentions, lambda document: document.clusters()),
    "entities": (_half_of_the_spans, _spans),
    "tagging": (_other_tags, _tags),
}
"""An edit of a document, and what it says."""
