"""Figures as data: a `Plot` has points, lines, bars or areas on two axes, a `NumberGrid` a number in each cell.

`vegalite.py` says how they are drawn, as specifications of Vega-Lite; `export.py` renders those.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple


class Point(NamedTuple):
    """A place in a plot, what it stands for, and how sure it is."""

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
    """A guide in grey, named at its end instead of in the key."""
    colour: int | None = None
    """The number of the series whose colour it shares."""


class Axis(NamedTuple):
    """What is along a side. An axis fits the data; `low` and `high` are ends that it does not go beyond."""

    label: str
    low: float | None = None
    high: float | None = None
    percent: bool = False
    names: Sequence[str] = ()
    """For places that have names instead of numbers: 0 is the first."""
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
    """A number in each cell, shown as a shade and in writing."""

    title: str
    rows: Sequence[str]
    columns: Sequence[str]
    values: Sequence[Sequence[float | None]]
    digits: int = 2
