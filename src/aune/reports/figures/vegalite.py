"""Draw figures: plots and grids as specifications of Vega-Lite, which users can save and edit.

Named positions are listed along the left side, one per line, so that names never collide. Each series has
a colour and a shape, so that colour is never the only signal. In the page, ink is `currentColor` and series have the
colours of its style sheet, so that light and dark mode both work; on paper everything is plain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import wrap
from typing import Any, TypeAlias
from urllib.parse import urlencode

from aune.reports.figures.plot import Axis, NumberGrid, Plot, Point, Series

Spec: TypeAlias = dict[str, Any]

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
WIDTH, HEIGHT, LINE = 440, 320, 20
COLOURS = ("#1f5a7a", "#b5532a", "#3f7f4c", "#8a4f9e", "#94761f", "#1d8a94", "#8c4646", "#5a6270")
SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "triangle-right")
MAX_BARS = 6  # series beside each other; more are easier to read as a grid
MARGIN = 0.05
LETTER_WIDTH, MIN_LETTERS = 7, 12  # the width of a letter of a title, and the minimum number of letters per line


class Ink:
    """The colours of a figure."""

    def __init__(self, page: bool) -> None:
        self.page = page
        self.text = "currentColor" if page else "#1d1c1a"

    def faint(self, share: float) -> tuple[str, float]:
        """A colour and an opacity for faint ink: on paper a grey, which every printer prints alike."""
        return (self.text, share) if self.page else (_tint(self.text, share), 1.0)

    def shade(self, share: float) -> tuple[str, float]:
        """A colour and an opacity for a faint form of the first series' colour."""
        return (self.series(0), share) if self.page else (_tint(self.series(0), share), 1.0)

    def series(self, number: int) -> str:
        place = number % len(COLOURS)
        return f"var(--series-{place})" if self.page else COLOURS[place]


def _tint(colour: str, share: float) -> str:
    """A colour thinned with white."""
    parts = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return "#" + "".join(f"{round(255 - share * (255 - part)):02x}" for part in parts)


def specification(figure: Plot | NumberGrid, page: bool = False) -> Spec:
    """A figure for the page, or as a separate file."""
    ink = Ink(page)
    if isinstance(figure, NumberGrid):
        body = _grid(figure, ink)
    elif figure.x.names and sum(series.shape == "bars" for series in figure.series) > MAX_BARS:
        body = _grid(_as_grid(figure), ink)
    else:
        body = _plot(figure, ink)
    return {
        "$schema": SCHEMA,
        "background": "transparent" if page else "white",
        **body,
        "config": _config(ink),
    }


def _in_lines(title: str, width: float) -> str | list[str]:
    """A title, on several lines if it is wider than the drawing below it, which would cut it off."""
    lines = wrap(title, max(MIN_LETTERS, int(width / LETTER_WIDTH)), break_long_words=False)
    return lines if len(lines) > 1 else title


def _config(ink: Ink) -> Spec:
    """One font and weight for all text, so that the fonts embedded in a file are the same on every run."""
    grid, opacity = ink.faint(0.14)
    plain = {"labelFontWeight": "normal", "titleFontWeight": "normal", "labelColor": ink.text, "titleColor": ink.text}
    return {
        "font": "Liberation Sans, Arial, Helvetica, sans-serif",
        "axis": {
            **plain,
            "domainColor": ink.text,
            "tickColor": ink.text,
            "gridColor": grid,
            "gridOpacity": opacity,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "labelLimit": 220,
        },
        "axisY": {"titlePadding": 12},  # names may be wider on the reader's machine than on the renderer's
        "legend": {
            **plain,
            "labelFontSize": 12,
            "labelLimit": WIDTH,
            "symbolLimit": 0,
            "symbolSize": 80,
            "columnPadding": 40,
        },
        "title": {"color": ink.text, "fontWeight": "normal", "fontSize": 14, "anchor": "start", "limit": 560},
        "text": {"color": ink.text, "fontSize": 11},
        "view": {"stroke": None},
    }


# Plots.


def _plot(plot: Plot, ink: Ink) -> Spec:
    """The layers of a plot; named positions are listed on the left side."""
    turned = bool(plot.x.names)
    across, up = (plot.y, plot.x) if turned else (plot.x, plot.y)
    frame = {
        "x": _channel(across, _extent(plot, turned), turned=False),
        "y": _channel(up, _extent(plot, not turned), turned=turned),
    }
    layers = [_guides(plot, frame, ink), *_areas(plot, frame, ink)]
    named = [trace for trace in plot.series if not trace.quiet and trace.shape != "area"]
    for shape in ("line", "bars", "points"):
        series = [trace for trace in named if trace.shape == shape]
        if series:
            layers += _marks(plot, series, frame, ink, turned)
    bars = sum(trace.shape == "bars" for trace in plot.series)
    return {
        "title": _in_lines(plot.title, WIDTH),
        "width": WIDTH,
        "height": {"step": LINE if bars < 2 else 10 + 11 * bars, "for": "position"} if turned else HEIGHT,
        "layer": [layer for layer in layers if layer],
        "resolve": {
            "scale": {"color": "independent", "shape": "independent", "strokeDash": "independent"},
            "legend": {"color": "independent", "shape": "independent", "strokeDash": "independent"},
        },
    }


def _channel(axis: Axis, extent: tuple[float, float], turned: bool) -> Spec:
    if turned:
        order = list(axis.names)
        return {"type": "nominal", "sort": order, "scale": {"domain": order}, "title": axis.label or None}
    scale: Spec = {"domain": list(extent), "nice": False, "zero": False}
    if axis.logarithmic:
        scale["type"] = "log"
    return {"type": "quantitative", "scale": scale, "title": axis.label, "axis": {"tickCount": 6, "grid": True}}


def _extent(plot: Plot, values_of_y: bool) -> tuple[float, float]:
    """The range of an axis: that of the points with a margin, within the limits of the axis."""
    axis = plot.y if values_of_y else plot.x
    factor = 100.0 if axis.percent else 1.0
    numbers = [
        number
        for series in plot.series
        if not series.quiet
        for point in series.points
        for number in ((point.y, *(point.y_range or ())) if values_of_y else (point.x, *(point.x_range or ())))
    ]
    low, high = min(numbers, default=0.0), max(numbers, default=1.0)
    if axis.logarithmic:
        return low * factor, high * factor * 1.2
    room = (high - low or abs(high) or 1.0) * MARGIN
    low, high = low - room, high + room
    if values_of_y and any(series.shape == "bars" for series in plot.series):
        low, high = min(low, 0.0) if low < -room else 0.0, max(high, 0.0)
    low = low if axis.low is None else max(low, axis.low)
    high = high if axis.high is None else min(high, axis.high)
    return round(low * factor, 6), round(high * factor, 6)


def _records(plot: Plot, series: Series, turned: bool, page: bool) -> list[Spec]:
    """The points of a series as Vega-Lite data."""
    records = []
    for place, point in enumerate(series.points):
        x, y = _scale_value(point.x, plot.x), _scale_value(point.y, plot.y)
        across, up = (y, plot.x.names[int(point.x)]) if turned else (x, y)
        record: Spec = {"series": series.name, "x": across, "y": up, "place": place, "text": point.text}
        ranges = (point.y_range, None) if turned else (point.x_range, point.y_range)
        for name, bounds, axis in (("x", ranges[0], plot.y if turned else plot.x), ("y", ranges[1], plot.y)):
            if bounds:
                record |= {f"{name}_low": _scale_value(bounds[0], axis), f"{name}_high": _scale_value(bounds[1], axis)}
        if page and point.system:
            record["link"] = _link(point)
        records.append(record)
    return records


def _scale_value(value: float, axis: Axis) -> float:
    return round(100 * value, 8) if axis.percent else round(value, 8)


def _link(point: Point) -> str:
    return f"#errors?{urlencode({'system': point.system}, errors='backslashreplace')}"


def _place(frame: Mapping[str, Spec]) -> Spec:
    return {name: {"field": name, **channel} for name, channel in frame.items()}


def _guides(plot: Plot, frame: Mapping[str, Spec], ink: Ink) -> Spec:
    """Thin guide curves, each labelled where it leaves the plot."""
    guides = [guide for guide in plot.series if guide.quiet]
    if not guides:
        return {}
    low, high = frame["x"]["scale"]["domain"]
    bottom, top = frame["y"]["scale"]["domain"]
    curves, names = [], []
    for guide in guides:
        records = _records(plot, guide, False, False)
        inside = [record for record in records if low <= record["x"] <= high and bottom <= record["y"] <= top]
        curves += records
        names += inside[-1:]
    quiet, opacity = ink.faint(0.5)
    line = {"type": "line", "clip": True, "strokeDash": [4, 3], "strokeWidth": 1, "opacity": opacity, "color": quiet,
            "aria": False}  # fmt: skip
    detail = {**_place(frame), "detail": {"field": "series"}, "order": {"field": "place"}}
    label = {"type": "text", "align": "right", "dx": -2, "dy": -5, "color": ink.text, "aria": False}
    label_encoding = {**_place(frame), "text": {"field": "series"}}
    return {
        "layer": [
            {"data": {"values": curves}, "mark": line, "encoding": detail},
            {"data": {"values": names}, "mark": label, "encoding": label_encoding},
        ]
    }


def _areas(plot: Plot, frame: Mapping[str, Spec], ink: Ink) -> list[Spec]:
    layers = []
    for series in plot.series:
        if series.shape == "area":
            colour = ink.series(series.colour or 0)
            mark = {"type": "line", "interpolate": "linear-closed", "fill": colour, "fillOpacity": 0.14,
                    "stroke": colour, "strokeWidth": 1, "clip": True, "aria": False}  # fmt: skip
            encoding = {**_place(frame), "order": {"field": "place"}}
            layers.append(
                {"data": {"values": _records(plot, series, False, False)}, "mark": mark, "encoding": encoding}
            )
    return layers


def _marks(plot: Plot, series: Sequence[Series], frame: Mapping[str, Spec], ink: Ink, turned: bool) -> list[Spec]:
    """Lines, bars or points of several series, with a legend if there are several."""
    shape = series[0].shape
    records = [record for trace in series for record in _records(plot, trace, turned, ink.page)]
    names = [trace.name for trace in series]
    numbers = [_number(plot, trace) for trace in series]
    keyed = len(names) > 1 or any(names)
    above = shape == "line" and any(trace.shape == "points" for trace in plot.series)  # two legends, one on each side
    side = "top" if above else "bottom"
    key = {"title": None, "orient": side, "columns": _key_columns(names)} if keyed else None
    encoding: Spec = {
        **_place(frame),
        "color": {"field": "series", "type": "nominal", "legend": key,
                  "scale": {"domain": names, "range": [ink.series(number) for number in numbers]}},
    }  # fmt: skip
    described = {"description": {"field": "text"}}
    if any("link" in record for record in records):
        described["href"] = {"field": "link"}
    if shape == "line":
        dashes = {"domain": names, "range": [[5, 4] if trace.dashed else [1, 0] for trace in series]}
        dash = {"field": "series", "type": "nominal", "scale": dashes, "legend": key}
        mark: Spec = {"type": "line", "interpolate": "monotone", "strokeWidth": 2}
        encoding |= {"strokeDash": dash, "order": {"field": "place"}}
        return [{"data": {"values": records}, "mark": mark, "encoding": encoding}]
    if shape == "bars":
        offset = {"yOffset": {"field": "series", "sort": names, "scale": {"domain": names}}} if len(names) > 1 else {}
        zero = {"x": {**encoding["x"], "stack": None}}
        return [{"data": {"values": records}, "mark": "bar", "encoding": {**encoding, **zero, **offset, **described}}]
    marks = {"domain": names, "range": [SHAPES[number % len(SHAPES)] for number in numbers]}
    shapes = {"field": "series", "type": "nominal", "scale": marks, "legend": key}
    layers = []
    for name in ("x", "y"):
        with_interval = [record for record in records if f"{name}_low" in record]
        if with_interval:
            bounds = {name: {**encoding[name], "field": f"{name}_low"}, f"{name}2": {"field": f"{name}_high"}}
            quiet = {**encoding, **bounds, "color": {**encoding["color"], "legend": None}}
            rule = {"type": "rule", "strokeWidth": 1.5, "clip": True, "aria": False}
            layers.append({"data": {"values": with_interval}, "mark": rule, "encoding": quiet})
    dots: Spec = {"type": "point", "filled": True, "size": 70, "opacity": 1}
    layers.append({"data": {"values": records}, "mark": dots, "encoding": {**encoding, "shape": shapes, **described}})
    return layers


def _number(plot: Plot, series: Series) -> int:
    """The index of a series among those that have their own colour."""
    coloured = [other for other in plot.series if not other.quiet and other.colour is None]
    return series.colour if series.colour is not None else next((i for i, o in enumerate(coloured) if o is series), 0)


def _key_columns(names: Sequence[str]) -> int:
    """The number of legend entries that fit beside each other."""
    longest = 6.5 * max(map(len, names)) + 40
    return max(1, min(len(names), int(WIDTH // longest)))


# Grids.


def _as_grid(plot: Plot) -> NumberGrid:
    """Bars of many series as numbers: a row per series, a column per name."""
    factor = 100.0 if plot.y.percent else 1.0
    values: list[list[float | None]] = []
    for series in plot.series:
        by_place = {int(point.x): factor * point.y for point in series.points}
        values.append([by_place.get(place) for place in range(len(plot.x.names))])
    is_whole = all(value is None or float(value).is_integer() for row in values for value in row)
    title = plot.title if plot.y.label in plot.title.lower() else f"{plot.title} ({plot.y.label})"
    return NumberGrid(title, [series.name for series in plot.series], plot.x.names, values, 0 if is_whole else 1)


def _grid(grid: NumberGrid, ink: Ink) -> Spec:
    known = [abs(value) for row in grid.values for value in row if value is not None]
    top = max(known, default=1.0) or 1.0
    records = [
        {
            "row": row,
            "column": column,
            "shade": 0.0 if value is None else round(abs(value) / top, 4),
            "shown": "–" if value is None else f"{value:,.{grid.digits}f}".replace("-", "−"),
            "text": f"{row}, {column}: {'undefined' if value is None else f'{value:,.{grid.digits}f}'}",
        }
        for row, values in zip(grid.rows, grid.values, strict=True)
        for column, value in zip(grid.columns, values, strict=True)
    ]
    shades = [ink.shade(share) for share in (0.03, 0.45)]
    line, opacity = ink.faint(0.14)
    fill = "fillOpacity" if ink.page else "fill"
    scale = {"domain": [0, 1], "range": [opacity if ink.page else colour for colour, opacity in shades]}
    wide = max(44.0, min(90.0, WIDTH / max(len(grid.columns), 1)))
    return {
        "title": _in_lines(grid.title, wide * len(grid.columns) + LETTER_WIDTH * max(map(len, grid.rows), default=0)),
        "data": {"values": records},
        "width": {"step": wide},
        "height": {"step": LINE + 4},
        "encoding": {
            "x": {"field": "column", "type": "nominal", "sort": list(grid.columns), "title": None,
                  "axis": {"labelAngle": -35, "grid": False, "domain": False, "ticks": False}},
            "y": {"field": "row", "type": "nominal", "sort": list(grid.rows), "title": None,
                  "axis": {"grid": False, "domain": False, "ticks": False}},
        },
        "layer": [
            {
                "mark": {"type": "rect", "color": ink.series(0), "stroke": line, "strokeOpacity": opacity},
                "encoding": {
                    fill: {"field": "shade", "type": "quantitative", "legend": None, "scale": scale},
                    "description": {"field": "text"},
                },
            },
            {"mark": {"type": "text", "aria": False}, "encoding": {"text": {"field": "shown"}}},
        ],
    }  # fmt: skip
