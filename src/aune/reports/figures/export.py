"""Figures as SVG, PDF and PNG, rendered by vl-convert (the extra `figures`); specifications need no extra.

The renderer contains its fonts and does not use the network, so a figure is the same on every machine.
"""

from __future__ import annotations

import re
from html import escape
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from aune.errors import JOINERS, UsageError, make_visible
from aune.reports.figures.plot import NumberGrid, Plot
from aune.reports.figures.vegalite import specification
from aune.reports.json import to_json

SCALE = 3  # pixels of a PNG per pixel of the drawing: about 300 dpi in a column of a paper
SUFFIXES = (".svg", ".pdf", ".png")
SPECIFICATION = ".vl.json"
MISSING = "figures need the extra figures: pip install 'aune[figures]'"
BASE = re.compile(r'(<a xlink:href=")[^"#]*(#)')
MARK = re.compile(r'<(path|line|rect) aria-label="([^"]*)"([^>]*)/>')
NAMED = re.compile(r'(?<=id=")(?:clip|gradient)\w*(?=")|(?<=url\(#)(?:clip|gradient)\w*(?=\))')


def can_render() -> bool:
    """Whether figures can be rendered here."""
    return find_spec("vl_convert") is not None


def check_output(output: Path | None) -> None:
    """Refuse a file that cannot be written, before the work starts."""
    if output is not None and output.name.endswith(SPECIFICATION):
        return
    if output is not None and output.suffix.lower() not in SUFFIXES:
        raise UsageError(f"{output}: expected a name that ends in .svg, .pdf, .png or {SPECIFICATION}")
    if not can_render():
        raise UsageError(f"{MISSING}; or write the specification to a name that ends in {SPECIFICATION}")


def export_figure(figure: Plot | NumberGrid, output: Path | None) -> bytes:
    """The figure in the format of a file name's suffix."""
    spec = _clean_texts(specification(figure))
    if output is not None and output.name.endswith(SPECIFICATION):
        return to_json(spec, indent=1).encode()
    import vl_convert  # noqa: PLC0415 - an extra

    svg = _finish_svg(vl_convert.vegalite_to_svg(spec), "figure")
    if output is None or output.suffix.lower() == ".svg":
        return (svg + "\n").encode()
    if output.suffix.lower() == ".pdf":
        return bytes(vl_convert.svg_to_pdf(svg))
    return bytes(vl_convert.svg_to_png(svg, scale=SCALE))


def page_element(name: str, figure: Plot | NumberGrid) -> str:
    """The figure as an element of the page: its links are addresses in the page, its identifiers are unique."""
    import vl_convert  # noqa: PLC0415 - an extra

    raw_svg = vl_convert.vegalite_to_svg(_clean_texts(specification(figure, page=True)))
    svg = BASE.sub(r"\1\2", _finish_svg(raw_svg, name))
    return svg.replace("<svg ", f'<svg role="group" aria-label="{escape(make_visible(figure.title))}" ', 1)


def _clean_texts(part: Any) -> Any:
    """A specification whose texts can be drawn: a control character in a name would end the process."""
    if isinstance(part, dict):
        return {_clean_texts(name): _clean_texts(value) for name, value in part.items()}
    if isinstance(part, list | tuple):
        return [_clean_texts(value) for value in part]
    return make_visible(part, allowed=JOINERS + "\n\u00a0\u202f\u2009") if isinstance(part, str) else part


def _finish_svg(svg: str, name: str) -> str:
    """A drawing whose elements are numbered from 1 whatever was drawn before, and whose marks are described."""
    numbers: dict[str, int] = {}
    svg = NAMED.sub(lambda part: f"{name}-{numbers.setdefault(part[0], len(numbers) + 1)}", svg)
    return MARK.sub(r'<\1 aria-label="\2"\3><title>\2</title></\1>', svg)
