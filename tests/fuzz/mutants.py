"""Damaged files: the samples of every format with pieces taken out, put in, repeated, moved and made enormous."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from aune.core import registry
from aune.core.corpus import Source
from aune.core.errors import InputError, UsageError
from aune.tasks.coref.mentions.preparation import selected

if __package__:
    from tests.fuzz.soundness import unsound
else:  # run as a script, this folder comes first
    from soundness import unsound

SAMPLES = Path(__file__).parent.parent / "tasks"
SIGNS = [
    b"\t", b"\n", b"\r\n", b"\r\r\n", b" ", b"(", b")", b"|", b"-", b"_", b"{", b"}", b"[", b"]", b"<", b">", b"/",
    b'"', b":", b";", b",", b"=", b"#", b"\\", b"*", b"@", b"0", b"-1", b"900000000", b"9" * 30, b"1e999", b"NaN",
    b"1.1", b"1-2",
    b"\x00", b"\xff", b"\xe2\x80\xa8", b"\xc2\xa0", b"\xef\xbb\xbf", b"null", b"true", b'"\\ud800"',
    b"&#0;", b"%FF", b"# newdoc id = x\n", b"T1\tA 0 4\tx\n", b"<DOC>", b"</DOC>", b"O", b"B-X", b"I-X", b"(1", b"1)",
    b'{"id": "a"}',
]  # fmt: skip
NASTY = [
    "(12)", "(", ")", "((a)", "{a ", "{a:b=", "}", "<!--", "<a ", "<aaaa", "<COREF ", "a=", '"', "[", "{", "a:", " ",
    "# x\n", "#end document\n", "T1\tA 0 1;", "Entity=(e1)", "\\", "é", "a\t", "# meta:: ", "&", "(e1[1/2])", "1,",
    "a/", "a_", "-1_",
]  # fmt: skip
STARTS = [
    "", "#begin document (a)\na\t", "a\t0\t1\t", "R1\tCoref ", "<COREF ID=", "{a ", "1" + "\t_" * 9 + "Entity=",
    "# global.columns = ID FORM IDENTITY BRIDGING\n1\ta\t_\t",
]  # fmt: skip
LONG = 20_000  # characters: enough for a pattern that goes back and forth to take minutes


class Mutant(NamedTuple):
    """A damaged file, and the format that must survive it."""

    task: str
    format: str
    data: bytes


def mutants(seed: int, count: int, task: str, form: str) -> Iterator[Mutant]:
    """Damaged files of one format, the same for the same seed."""
    generator = random.Random(f"{seed} {task}.{form}")
    folder = SAMPLES / task / "formats" / "samples"
    here = [path.read_bytes() for path in sorted(folder.iterdir()) if path.name.partition("-")[0] == form] or [b""]
    others = [path.read_bytes() for path in sorted(folder.iterdir())]
    for _ in range(count):
        data = generator.choice(here)
        for _ in range(generator.randint(1, 4)):
            data = mutated(generator, data, others)
        yield Mutant(task, form, data[:200_000])


def long_inputs(seed: int, count: int, task: str, form: str) -> Iterator[Mutant]:
    """Long inputs that make careless patterns go back and forth."""
    generator = random.Random(f"{seed} {task}.{form} long")
    for _ in range(count):
        start, piece = generator.choice(STARTS), generator.choice(NASTY)
        yield Mutant(task, form, (start + piece * (LONG // len(piece)) + "(").encode())


def trials(seed: int, count: int, name: str) -> Iterator[tuple[bytes, Callable[[], bool]]]:
    """Damaged files of one format, each with how to find out whether it was refused."""
    task, _, form = name.partition(".")
    for mutant in chain(mutants(seed, count, task, form), long_inputs(seed, count // 10, task, form)):
        yield mutant.data, partial(refused, mutant)


def refused(mutant: Mutant) -> bool:
    return fate(mutant) == "refused"


def mutated(generator: random.Random, data: bytes, others: list[bytes]) -> bytes:
    """The same with one piece damaged."""
    start = generator.randint(0, len(data))
    end = min(len(data), start + generator.choice((0, 1, 2, 8, 40)))
    lines = data.splitlines(keepends=True)
    match generator.randint(0, 7):
        case 0:
            return data[:start] + data[end:]
        case 1:
            return data[:start]
        case 2:
            return data[:start] + data[start:end] * generator.choice((2, 3, 50, 2000)) + data[end:]
        case 3:
            other = generator.choice(others)
            place = generator.randint(0, len(other))
            return data[:start] + other[place : place + generator.choice((1, 10, 100))] + data[end:]
        case 4:
            generator.shuffle(lines)
            return b"".join(lines)
        case 5:
            place = generator.randint(0, len(lines))
            return b"".join(lines[:place] + lines[place : place + 2] * generator.choice((2, 20)) + lines[place:])
        case _:
            sign = generator.choice(SIGNS) * generator.choice((1, 1, 1, 1, 3, 3000))
            return data[:start] + sign + data[end:]


def fate(mutant: Mutant) -> str:
    """Read it; check, write and read again what could be read. What a user would be told, or '' when all went well.

    Anything but a problem of the file or a refusal is raised.
    """
    task, form = registry.task(mutant.task), registry.format(mutant.task, mutant.format)
    source = Source("x", mutant.data)
    try:
        form.sniff(source.head)
        form.perhaps(source.head)
        documents = list(form.read(source))
        source.finish()
    except InputError as error:
        assert error.problems
        assert all("found" in problem.message and "expected" in problem.message for problem in error.problems)
        return "refused"
    check_sound(mutant.task, documents)
    task.check(documents)
    task.holdings(documents)
    if form.splice is not None:
        splice(mutant, documents)
    for other in registry.formats(mutant.task):
        if other.write is not None:
            try:
                text = "".join(other.write(documents))
            except UsageError:
                continue
            again = Source("x", text.encode(errors="surrogatepass"))
            written = list(other.read(again))
            again.finish()  # what we write we can read
            check_sound(mutant.task, written)
    return ""


def check_sound(task: str, documents: list[Any]) -> None:
    """Whatever could be read holds together."""
    if task == "coref":
        assert not any(found := [*map(unsound, documents)]), found


def splice(mutant: Mutant, documents: list[Any]) -> None:
    """What did not change keeps its bytes; of chains, half of the mentions can go."""
    form = registry.format(mutant.task, mutant.format)
    assert form.splice is not None
    try:
        same = form.splice(Source("x", mutant.data), documents)
    except UsageError:
        return
    assert same == mutant.data, "an unchanged document gave other bytes"
    if mutant.task == "coref":
        halves = [selected(document, np.arange(len(document)) % 2 == 0) for document in documents]
        try:
            data = form.splice(Source("x", mutant.data), halves)
        except UsageError:
            return
        source = Source("x", data)
        again = list(form.read(source))
        source.finish()
        assert [document.clusters() for document in again] == [document.clusters() for document in halves]
