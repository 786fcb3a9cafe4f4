"""Convert guidelines, which a project leader writes in Markdown, to HTML that is safe on any page."""

from __future__ import annotations

from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

TOP_HEADING = 3
"""The level of the highest heading; the page itself uses the levels above."""


@lru_cache(maxsize=32)
def render_markdown(source: str) -> str:
    r"""Markdown (CommonMark with tables) as HTML. HTML in the source is shown as text, and images are disabled.

    >>> render_markdown("# Mentions\n\nMark *every* noun phrase <b>.")
    '<h3>Mentions</h3>\n<p>Mark <em>every</em> noun phrase &lt;b&gt;.</p>\n'
    """
    parser = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    tokens = parser.parse(source)
    for token in tokens:
        _adapt(token)
    return str(parser.renderer.render(tokens, parser.options, {}))


def _adapt(token: Token) -> None:
    """Move headings below those of the page, and make links open in a new window."""
    if token.type in ("heading_open", "heading_close"):
        token.tag = f"h{min(int(token.tag[1]) + TOP_HEADING - 1, 6)}"
    for child in token.children or ():
        if child.type == "link_open":
            child.attrSet("target", "_blank")
            child.attrSet("rel", "noopener noreferrer")
