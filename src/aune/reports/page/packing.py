"""Data inside a page: as JSON that cannot end its element, or compressed."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any

ESCAPED = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def scripted(data: Any) -> str:
    r"""JSON for a script element.

    >>> print(scripted("</script>"))
    "\u003c/script\u003e"
    """
    return escaped(dumped(data))


def escaped(text: str) -> str:
    """JSON that reads back the same, and in which nothing can be taken for markup."""
    for character, escape in ESCAPED.items():
        text = text.replace(character, escape)
    return text


def dumped(data: Any) -> str:
    """Compact JSON; a lone surrogate, which UTF-8 cannot hold, is escaped."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text


def packed(text: str) -> str:
    """Text compressed, in letters; the same from run to run."""
    return base64.b64encode(gzip.compress(text.encode(), 6, mtime=0)).decode()
