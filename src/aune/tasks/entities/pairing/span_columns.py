"""The spans of one side of a comparison, as columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aune.numeric.arrays import Ints
from aune.tasks.entities.model import Segments
from aune.typologies.typology import Typology


@dataclass(frozen=True)
class SpanColumns:
    """The spans of one side, in order of content."""

    start: Ints
    end: Ints
    label: Ints
    """Label numbers, indices into `Comparison.names`."""
    depth: Ints
    shape: Ints
    """0 for a contiguous span; spans with the same pieces have the same number."""
    document: Ints
    number: Ints
    """The number of the span within its document."""
    segments: Mapping[int, Segments]
    """The parts of discontinuous spans (on the chunk's line), by shape."""

    def __len__(self) -> int:
        return len(self.start)

    def select(self, which: Any) -> SpanColumns:
        """Some of the spans, selected by numbers or a mask."""
        names = ("start", "end", "label", "depth", "shape", "document", "number")
        return replace(self, **{name: getattr(self, name)[which] for name in names})


class Labels:
    """The properties of each label of a comparison, as arrays over label numbers."""

    def __init__(self, names: Sequence[str], known: Typology) -> None:
        self.names = names
        parts = [name.split(".") for name in names]
        self.parts = parts
        tops = sorted({part[0] for part in parts})
        self.type = np.asarray([tops.index(part[0]) for part in parts], np.int64)
        self.component = np.asarray([name in known.components for name in names], bool)
        self.depth = np.asarray([len(part) for part in parts], np.int64)


def same_spans(key: SpanColumns, response: SpanColumns) -> tuple[Ints, Ints]:
    """The numbers of the spans that both sides have."""
    columns = [np.concatenate([getattr(key, name), getattr(response, name)]) for name in ("start", "end", "label")]
    columns.append(np.concatenate([key.shape, response.shape]))
    codes = pack_rows(columns)
    _, left, right = np.intersect1d(codes[: len(key)], codes[len(key) :], assume_unique=True, return_indices=True)
    return left, right


def pack_rows(columns: Sequence[Ints]) -> Ints:
    """One number per row: equal rows have equal numbers, in the order of the rows."""
    code = np.zeros(len(columns[0]), np.int64)
    top = 1
    for column in columns:
        low = int(column.min(initial=0))
        width = int(column.max(initial=0)) - low + 1
        if top > 2**62 // width:
            _, code = np.unique(code, return_inverse=True)
            top = int(code.max(initial=0)) + 1
        code = code * width + (column - low)
        top *= width
    return code


def sorted_distinct(numbers: Ints) -> NDArray[Any]:
    """The distinct numbers, sorted (faster than numpy's `unique`, which hashes)."""
    ordered = np.sort(numbers)
    return np.asarray(ordered[np.append(True, np.diff(ordered) > 0)[: len(ordered)]])
