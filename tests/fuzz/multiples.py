"""How much memory a reader takes for each byte of a well-formed file: of a usual one, and of the densest we know."""

from __future__ import annotations

import tempfile
import tomllib
from collections.abc import Iterator
from functools import cache
from itertools import count
from pathlib import Path
from string import Template
from typing import NamedTuple

if __package__:
    from tests.fuzz.hostile import Ended, end_command
else:  # run as a script, this folder comes first
    from hostile import Ended, end_command

SIZE = 1_000_000  # bytes of a file
SMALL = 1000  # bytes of one that takes no memory to speak of
USUAL, DENSEST = 50, 160
"""Bytes of memory for each byte of such a file: SECURITY.md promises it."""
MENTIONS_ALONE = "coref.partition"
BESIDE = {"coref.brat", "coref.litbank", "entities.brat"}
"""Formats that have the text in a file beside theirs, by its ending."""


class Shape(NamedTuple):
    """What a file is made of: one piece again and again, which may add something to the text beside the file."""

    piece: str
    head: str = ""
    tail: str = ""
    text: str = ""


class Multiple(NamedTuple):
    """How often the bytes of a usual file and of the densest one are in memory once they are read."""

    format: str
    codes: set[int]
    usual: float
    densest: float

    @property
    def has_text(self) -> bool:
        """Whether a usual file of the format is something else than mentions alone."""
        return self.format != MENTIONS_ALONE

    @property
    def is_wrong(self) -> bool:
        return self.codes != {0} or (self.has_text and self.usual > USUAL) or self.densest > DENSEST


@cache
def shapes() -> dict[str, list[Shape]]:
    """Those of each format, from `tests/tasks/TASK/formats/shapes/NAME.toml`: a usual one first, then dense ones.

    In a piece, `$n` is its number and `$next` the next one; `$start` and `$end` are the characters of the text that it
    adds to the file beside, where the format has one.
    """
    paths = sorted((Path(__file__).parent.parent / "tasks").glob("*/formats/shapes/*.toml"))
    return {
        f"{path.parts[-4]}.{path.stem}": [Shape(**fields) for fields in tomllib.loads(path.read_text("utf-8"))["shape"]]
        for path in paths
    }


def write_shape(shape: Shape, path: Path, size: int) -> int:
    """The bytes of a file of a shape, once it is there, and of the text beside it."""
    pieces, length = [], 0
    stride = len(shape.text)
    for number in count():
        if length >= size:
            break
        start, end = number * stride, (number + 1) * stride - 1
        pieces.append(Template(shape.piece).substitute(n=number, next=number + 1, start=start, end=end))
        length += len(pieces[-1]) + stride
    path.write_text(shape.head + "".join(pieces) + shape.tail, "utf-8")
    if stride:
        path.with_suffix(".txt").write_text(shape.text * len(pieces), "utf-8")
    return length


def file_name(form: str) -> str:
    return "a.ann" if form in BESIDE else "a"


def multiples() -> Iterator[Multiple]:
    """Those of every format."""
    for form, several in shapes().items():
        result = [_times(form, shape) for shape in several]
        yield Multiple(form, {code for code, _ in result}, result[0][1], max(times for _, times in result))


def _times(form: str, shape: Shape) -> tuple[int, float]:
    """How a command ends that reads such a file, and the memory that it takes for each byte."""
    needed, size = _read(form, shape, SIZE)
    return needed.code, (needed.peak - _bare(form).peak) * (1 << 20) / size


@cache
def _bare(form: str) -> Ended:
    """What the process needs that reads nothing to speak of."""
    return _read(form, shapes()[form][0], SMALL)[0]


def _read(form: str, shape: Shape, size: int) -> tuple[Ended, int]:
    task, _, name = form.partition(".")
    with tempfile.TemporaryDirectory() as made:
        path = Path(made, file_name(form))
        length = write_shape(shape, path, size)
        return end_command(Path(made), "validate", task, path.name, "--input-format", name), length
