"""Figures as data, and the one way they are drawn: as SVG, for the page and for papers.

A `Plot` has points, lines, bars or areas on two axes; a `Grid` has a number in each cell. In the page, colours come
from its style sheet, so that light and dark both work, and marks carry the system and document they stand for; on paper
they are plain. Each series has a colour and a shape, so that colour is never the only signal.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal, NamedTuple

WIDTH, HEIGHT = 560, 400
LEFT, RIGHT, TOP, BOTTOM = 64, 18, 40, 50
KEY_LINE = 18  # height of a line of the key
COLOURS = ("#1f5a7a", "#b5532a", "#3f7f4c", "#8a4f9e", "#94761f", "#1d8a94", "#8c4646", "#5a6270")
PAPER = {"ink": "#1d1c1a", "soft": "#5c5952", "line": "#dedad0", "raised": "#ffffff", "heat": "31, 90, 122"}
FONT = "font-family=\"'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif\""
CHARACTER = 6.2  # about the width of a letter at 12 pixels


class Point(NamedTuple):
    """A place in a plot, what it stands for, and how sure it is."""

    x: float
    y: float
    text: str = ""
    x_range: tuple[float, float] | None = None
    y_range: tuple[float, float] | None = None
    system: str = ""
    document: str = ""


class Series(NamedTuple):
    """Points that belong together; dashed lines and areas are guides and get no mark."""

    name: str
    points: Sequence[Point]
    shape: Literal["points", "line", "bars", "area"] = "points"
    dashed: bool = False
    quiet: bool = False
    """A guide in grey, without an entry in the key."""
    colour: int | None = None
    """The number of the series whose colour it shares."""


class Axis(NamedTuple):
    """What is along a side, and from where to where."""

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
    labelled: bool = False
    """Whether points have their text beside them instead of an entry in the key."""

    def svg(self, page: bool = False) -> str:
        """The figure; for the page, or to stand alone."""
        keyed = [one for one in self.series if one.name and not one.quiet and not self.labelled]
        rows = _key_rows([one.name for one in keyed])
        top = TOP + KEY_LINE * len(rows)
        height = HEIGHT + KEY_LINE * max(0, len(rows) - 1)
        frame = Frame(_extent(self, "x"), _extent(self, "y"), top, height, self.x.logarithmic)
        body = [_axes(self, frame), *(_drawn(one, self._number(one), frame, self) for one in self.series)]
        body.append(_key(keyed, [self._number(one) for one in keyed], rows))
        return _framed(self.title, "".join(body), WIDTH, height, page)

    def _number(self, one: Series) -> int:
        plain = [other for other in self.series if not other.quiet and other.colour is None]
        return one.colour if one.colour is not None else next((i for i, o in enumerate(plain) if o is one), 0)


class Frame(NamedTuple):
    """Where numbers go in the drawing."""

    x: tuple[float, float]
    y: tuple[float, float]
    top: float
    height: float
    logarithmic: bool = False

    def across(self, value: float) -> float:
        low, high = self.x
        if self.logarithmic:
            low, high, value = math.log(low), math.log(high), math.log(value)
        return LEFT + (WIDTH - LEFT - RIGHT) * (value - low) / (high - low)

    def up(self, value: float) -> float:
        low, high = self.y
        return self.height - BOTTOM - (self.height - BOTTOM - self.top) * (value - low) / (high - low)


def _extent(plot: Plot, axis: Literal["x", "y"]) -> tuple[float, float]:
    """From where to where an axis goes: as told, or as the points need with some room."""
    told: Axis = getattr(plot, axis)
    if told.names:
        return -0.5, len(told.names) - 0.5
    values = [value for one in plot.series for point in one.points for value in _values(point, axis)]
    if axis == "y" and any(one.shape == "bars" for one in plot.series):
        values.append(0.0)
    low, high = min(values, default=0.0), max(values, default=1.0)
    if told.logarithmic:
        return low, high * 1.2
    room = (high - low or abs(high) or 1.0) * 0.06
    low = told.low if told.low is not None else low - (room if low < 0 or axis == "x" or low > room else low)
    high = told.high if told.high is not None else high + room
    return (low, high) if high > low else (low, low + 1.0)


def _values(point: Point, axis: str) -> list[float]:
    value, bounds = (point.x, point.x_range) if axis == "x" else (point.y, point.y_range)
    return [value, *(bounds or ())]


def ticks(low: float, high: float, wanted: int = 5) -> list[float]:
    """Round numbers between two others.

    >>> ticks(0.0, 1.0)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    raw = (high - low) / wanted
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= raw * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(number * step, 10) + 0.0 for number in range(first, last + 1)]


def decades(low: float, high: float) -> list[float]:
    """1, 2 and 5 times powers of ten between two numbers.

    >>> decades(1, 30)
    [1, 2, 5, 10, 20]
    """
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    return [factor * 10**power for power in powers for factor in (1, 2, 5) if low <= factor * 10**power <= high]


def _lines(name: str, room: float) -> list[str]:
    """A name on one line, or on two when that is what it takes."""
    first, _, rest = name.replace("_", " ").partition(" ")
    if len(name) * CHARACTER <= room or not rest:
        return [_fitted(name, room)]
    return [_fitted(first, room), _fitted(rest, room)]


def _written(value: float, axis: Axis) -> str:
    text = f"{100 * value:.10g}" if axis.percent else f"{value:.6g}"
    return text.replace("-", "−")


# The parts of a drawing.


def _axes(plot: Plot, frame: Frame) -> str:
    parts = []
    bottom, left, right = frame.height - BOTTOM, LEFT, WIDTH - RIGHT
    if plot.x.names:
        room = (right - left) / len(plot.x.names)
        for place, name in enumerate(plot.x.names):
            for line, words in enumerate(_lines(name, room)):
                parts.append(_text(frame.across(place), bottom + 16 + 13 * line, words, "soft", "middle", name))
    else:
        for tick in decades(*frame.x) if plot.x.logarithmic else ticks(*frame.x):
            x = frame.across(tick)
            parts.append(_line(x, frame.top, x, bottom, "line"))
            parts.append(_text(x, bottom + 17, _written(tick, plot.x), "soft", "middle"))
    for tick in ticks(*frame.y):
        y = frame.up(tick)
        parts.append(_line(left, y, right, y, "line" if tick else "soft"))
        parts.append(_text(left - 8, y + 4, _written(tick, plot.y), "soft", "end"))
    parts.append(_line(left, bottom, right, bottom, "soft"))
    parts.append(_text((left + right) / 2, frame.height - 10, plot.x.label, "ink", "middle"))
    middle = (frame.top + bottom) / 2
    turned = f'transform="translate(15 {middle:.1f}) rotate(-90)"'
    parts.append(f'<text {turned} text-anchor="middle" fill="$ink">{escape(plot.y.label)}</text>')
    return "".join(parts)


def _drawn(one: Series, number: int, frame: Frame, plot: Plot) -> str:
    colour = "$soft" if one.quiet else f"${number % len(COLOURS)}"
    places = [(frame.across(point.x), frame.up(point.y)) for point in one.points]
    parts = []
    if one.shape in ("line", "area"):
        path = "M" + "L".join(f"{x:.2f} {y:.2f}" for x, y in places)
        dash = ' stroke-dasharray="5 4"' if one.dashed else ""
        filled = f'fill="{colour}" fill-opacity="0.14"' if one.shape == "area" else 'fill="none"'
        width = 1 if one.quiet else 2
        closed = "Z" if one.shape == "area" else ""
        parts.append(f'<path d="{path}{closed}" {filled} stroke="{colour}" stroke-width="{width}"{dash}/>')
        if one.quiet and one.name and places:
            parts.append(_text(places[-1][0] - 3, places[-1][1] - 9, one.name, "soft", "end"))
    elif one.shape == "bars":
        parts += _bars(one, number, colour, frame, plot)
    else:
        for point, (x, y) in zip(one.points, places, strict=True):
            parts.append(_whiskers(point, x, y, colour, frame))
            parts.append(_marked(point, _mark(x, y, number, colour)))
            if plot.labelled:
                anchor = ("end", -9) if x > WIDTH - RIGHT - CHARACTER * len(point.text) - 12 else ("start", 9)
                parts.append(_text(x + anchor[1], y - 6, point.text, "ink", anchor[0]))
    return f'<g class="series" data-series="{escape(one.name)}">{"".join(parts)}</g>'


def _bars(one: Series, number: int, colour: str, frame: Frame, plot: Plot) -> list[str]:
    count = max(1, sum(other.shape == "bars" for other in plot.series))
    slot = (frame.across(1) - frame.across(0)) * 0.8
    wide, floor = slot / count, frame.up(0.0 if frame.y[0] <= 0 <= frame.y[1] else frame.y[0])
    parts = []
    for point in one.points:
        x, y = frame.across(point.x) - slot / 2 + number * wide, frame.up(point.y)
        shape = (
            f'<rect x="{x:.2f}" y="{min(y, floor):.2f}" width="{max(wide - 1, 0.5):.2f}" '
            f'height="{abs(floor - y):.2f}" fill="{colour}"/>'
        )
        parts.append(_marked(point, shape))
    return parts


def _whiskers(point: Point, x: float, y: float, colour: str, frame: Frame) -> str:
    parts = []
    if point.x_range:
        low, high = map(frame.across, point.x_range)
        parts.append(f'<path d="M{low:.2f} {y:.2f}H{high:.2f}" stroke="{colour}" stroke-width="1.5"/>')
    if point.y_range:
        low, high = map(frame.up, point.y_range)
        parts.append(f'<path d="M{x:.2f} {low:.2f}V{high:.2f}" stroke="{colour}" stroke-width="1.5"/>')
    return "".join(parts)


def _marked(point: Point, shape: str) -> str:
    """A mark that says what it is, and in the page leads there."""
    data = f' data-system="{escape(point.system)}"' if point.system else ""
    data += f' data-document="{escape(point.document)}"' if point.document else ""
    title = f"<title>{escape(point.text)}</title>" if point.text else ""
    return f'<g class="mark"{data}>{title}{shape}</g>'


def _mark(x: float, y: float, number: int, colour: str) -> str:
    """A small shape, another one for every series."""
    size = 5.0
    outlines = (
        "",
        f"M{x - size:.2f} {y - size:.2f}h{2 * size}v{2 * size}h{-2 * size}Z",
        f"M{x:.2f} {y - size - 1:.2f}l{size + 1} {2 * size}h{-2 * size - 2}Z",
        f"M{x:.2f} {y - size - 1.5:.2f}l{size + 1} {size + 1.5}l{-size - 1} {size + 1.5}l{-size - 1} {-size - 1.5}Z",
        f"M{x:.2f} {y + size + 1:.2f}l{size + 1} {-2 * size}h{-2 * size - 2}Z",
    )
    outline = outlines[number % len(outlines)]
    style = f'fill="{colour}" stroke="$raised" stroke-width="1"'
    return f'<path d="{outline}" {style}/>' if outline else f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{size}" {style}/>'


def _key_rows(names: Sequence[str]) -> list[list[int]]:
    """The entries of the key, line by line."""
    rows: list[list[int]] = []
    used = math.inf
    for index, name in enumerate(names):
        width = CHARACTER * min(len(name), 40) + 34
        if used + width > WIDTH - LEFT - RIGHT:
            rows.append([])
            used = 0.0
        rows[-1].append(index)
        used += width
    return rows


def _key(series: Sequence[Series], numbers: Sequence[int], rows: Sequence[Sequence[int]]) -> str:
    parts = []
    for line, row in enumerate(rows):
        x = float(LEFT)
        for index in row:
            one, colour = series[index], f"${numbers[index] % len(COLOURS)}"
            y = TOP - 4 + line * KEY_LINE
            if one.shape == "line":
                dash = ' stroke-dasharray="5 4"' if one.dashed else ""
                sample = f'<path d="M{x:.1f} {y}h18" stroke="{colour}" stroke-width="2"{dash}/>'
            else:
                sample = _mark(x + 9, y, numbers[index], colour)
            name = _fitted(one.name, 40 * CHARACTER)
            label = _text(x + 24, y + 4, name, "ink", "start", one.name)
            parts.append(f'<g class="key" data-key="{escape(one.name)}" style="cursor:pointer">{sample}{label}</g>')
            x += CHARACTER * min(len(one.name), 40) + 34
    return "".join(parts)


def _line(x1: float, y1: float, x2: float, y2: float, colour: str) -> str:
    return f'<path d="M{x1:.2f} {y1:.2f}L{x2:.2f} {y2:.2f}" stroke="${colour}" fill="none"/>'


def _text(x: float, y: float, text: str, colour: str, anchor: str, whole: str = "") -> str:
    title = f"<title>{escape(whole)}</title>" if whole and whole != text else ""
    return f'<text x="{x:.2f}" y="{y:.2f}" fill="${colour}" text-anchor="{anchor}">{title}{escape(text)}</text>'


def _fitted(text: str, room: float) -> str:
    most = max(3, int(room / CHARACTER))
    return text if len(text) <= most else text[: most - 1] + "…"


def _framed(title: str, body: str, width: float, height: float, page: bool) -> str:
    """The whole drawing, its colours filled in."""
    head = f'<text x="0" y="16" font-size="14" font-weight="600" fill="$ink">{escape(title)}</text>'
    size = "" if page else f' width="{width}" height="{height}"'
    ground = "" if page else f'<rect width="{width}" height="{height}" fill="#ffffff"/>'
    opened = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"{size} role="img"'
    label = f' aria-label="{escape(title)}" font-size="12" {FONT}>'
    return opened + label + ground + _coloured(head + body, page) + "</svg>"


def _coloured(body: str, page: bool) -> str:
    """Colours by name (`"$ink"`) and number (`"$0"`), as attributes; text holds none, its quotes are escaped."""
    names: Mapping[str, str] = {name: f"var(--{name})" for name in PAPER} if page else PAPER
    for name, colour in names.items():
        body = body.replace(f'"${name}"', f'"{colour}"')
    shades = re.compile(r'"\$heat-([0-9.]+)"')
    body = shades.sub(
        lambda shade: f'"rgba({names["heat"]}, {shade[1]})"' if page else f'"{_mixed(float(shade[1]))}"', body
    )
    for number, colour in enumerate(COLOURS):
        body = body.replace(f'"${number}"', f'"var(--series-{number})"' if page else f'"{colour}"')
    return body


def _mixed(share: float) -> str:
    """The colour of a shade on white paper."""
    return "#" + "".join(f"{round(255 - share * (255 - part)):02x}" for part in (31, 90, 122))


@dataclass(frozen=True)
class Grid:
    """A number in each cell, between -1 and 1, shown as a shade and in writing."""

    title: str
    names: Sequence[str]
    values: Sequence[Sequence[float | None]]

    def svg(self, page: bool = False) -> str:
        longest = max(map(len, self.names))
        left = min(170.0, 20 + CHARACTER * longest)
        side = max(30.0, min(58.0, (WIDTH - left) / len(self.names)))
        width, height = (
            left + side * len(self.names) + 4,
            TOP + side * len(self.names) + 12 + CHARACTER * min(longest, 24) * 0.75,
        )
        parts = []
        for row, name in enumerate(self.names):
            y = TOP + side * (row + 0.5)
            parts.append(_text(left - 8, y + 4, _fitted(name, left - 12), "ink", "end", name))
            for column, value in enumerate(self.values[row]):
                parts.append(self._cell(left + side * column, TOP + side * row, side, value, row, column))
            turn = f"translate({left + side * (row + 0.5):.1f} {TOP + side * len(self.names) + 12:.1f}) rotate(-40)"
            parts.append(f'<text transform="{turn}" text-anchor="end" fill="$ink">{escape(_fitted(name, 150))}</text>')
        return _framed(self.title, "".join(parts), round(max(width, WIDTH), 1), round(height, 1), page)

    def _cell(self, x: float, y: float, side: float, value: float | None, row: int, column: int) -> str:
        shade = 0.0 if value is None else 0.05 + 0.75 * abs(value)
        shown = "–" if value is None else f"{value:.2f}".replace("-", "−").removeprefix("0") or "0"
        fill = f'fill="$heat-{shade:.2f}"'
        box = f'<rect x="{x:.1f}" y="{y:.1f}" width="{side:.1f}" height="{side:.1f}" stroke="$raised" {fill}/>'
        title = f"<title>{escape(self.names[row])} and {escape(self.names[column])}: {shown}</title>"
        colour = "raised" if shade > 0.5 else "ink"
        text = _text(x + side / 2, y + side / 2 + 4, shown, colour, "middle")
        return f"<g>{title}{box}{text}</g>"
