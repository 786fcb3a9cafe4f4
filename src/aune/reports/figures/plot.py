"""Figures as data: a `Plot` has points, lines, bars or areas on two axes, a `NumberGrid` a number in each cell.

`vegalite.py` converts them to specifications of Vega-Lite; `export.py` renders those.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple


class Point(NamedTuple):
    """A point in a plot, its label, and its uncertainty."""

    x: float
    y: float
    text: str = ""
    x_range: tuple[float, float] | None = None
    y_range: tuple[float, float] | None = None
    system: str = ""


class Series(NamedTuple):
    """Points that belong together."""

    name: str
    points: Sequence[Point]
    shape: Literal["points", "line", "bars", "area"] = "points"
    dashed: bool = False
    quiet: bool = False
    """A grey guide line, labelled at its end instead of in the legend."""
    colour: int | None = None
    """The number of the series whose colour it shares."""


class Axis(NamedTuple):
    """An axis. It fits the data; `low` and `high` are limits that it does not exceed."""

    label: str
    low: float | None = None
    high: float | None = None
    percent: bool = False
    names: Sequence[str] = ()
    """Names of positions instead of numbers: 0 is the first."""
    logarithmic: bool = False


@dataclass(frozen=True)
class Plot:
    """Series on two axes."""

    title: str
    x: Axis
    y: Axis
    series: Sequence[Series]


@dataclass(frozen=True)
class NumberGrid:
    """A number in each cell, shown as a shade and as text."""

    title: str
    rows: Sequence[str]
    columns: Sequence[str]
    values: Sequence[Sequence[float | None]]
    digits: int = 2
