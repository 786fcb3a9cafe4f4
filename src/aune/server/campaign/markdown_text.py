"""Render Markdown of organisers as HTML, without raw HTML, images, or links that could run scripts."""

from __future__ import annotations

import re
from functools import cache

from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

SAFE_LINK = re.compile(r"(?:https?://|mailto:|/(?!/)|#)", re.IGNORECASE)
TOP_HEADING = 2  # level 1 is the title of the page


def render_markdown(text: str) -> SafeString:
    r"""Render a text in Markdown as HTML for a page.

    >>> print(render_markdown("# The *task*\n\n<b>[x](javascript:y)"))
    <h2>The <em>task</em></h2>
    <p>&lt;b&gt;[x](javascript:y)</p>
    <BLANKLINE>
    """
    renderer = _renderer()
    tokens = renderer.parse(text)
    for token in tokens:
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{min(int(token.tag[1:]) + TOP_HEADING - 1, 6)}"
        for child in token.children or ():
            _keep_apart(child)
    html: str = renderer.renderer.render(tokens, renderer.options, {})
    return mark_safe(html)


@cache
def _renderer() -> MarkdownIt:
    renderer = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    renderer.validateLink = lambda url: bool(SAFE_LINK.match(url))  # type: ignore[method-assign]
    return renderer


def _keep_apart(token: Token) -> None:
    """Mark a link so that the linked page learns nothing about this one."""
    if token.type == "link_open":
        token.attrSet("rel", "noopener noreferrer nofollow")
