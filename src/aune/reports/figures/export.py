"""Figures as PDF and PNG, with CairoSVG (the extra `figures`); SVG needs nothing."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from aune.core.errors import UsageError

SCALE = 3  # pixels of a PNG for one of the drawing: about 300 to the inch in a column of a paper


def ready(output: Path | None) -> None:
    """Refuse a file that cannot be written, before the work starts."""
    if output is None or output.suffix == ".svg":
        return
    if output.suffix not in (".pdf", ".png"):
        raise UsageError(f"{output}: expected a name that ends in .svg, .pdf or .png")
    if find_spec("cairosvg") is None:
        raise UsageError(
            f"{output}: {output.suffix[1:].upper()} needs CairoSVG: pip install 'aune[figures]', or write .svg"
        )


def exported(svg: str, suffix: str) -> bytes:
    """The drawing in the format of a file name's ending."""
    import cairosvg  # type: ignore[import-untyped,import-not-found,unused-ignore]  # noqa: PLC0415 - an extra

    written: bytes
    if suffix == ".pdf":
        written = cairosvg.svg2pdf(bytestring=svg.encode())
    else:
        written = cairosvg.svg2png(bytestring=svg.encode(), scale=SCALE)
    return written
