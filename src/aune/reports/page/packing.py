"""Data inside a page: as JSON that cannot end its element, or compressed."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Sequence
from typing import Any

import numpy as np

ESCAPED = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def script_json(data: Any) -> str:
    r"""JSON for a script element.

    >>> print(script_json("</script>"))
    "\u003c/script\u003e"
    """
    return escape_json(compact_json(data))


def escape_json(text: str) -> str:
    """JSON that is read back unchanged, and that contains no markup."""
    for character, escape in ESCAPED.items():
        text = text.replace(character, escape)
    return text


def compact_json(data: Any) -> str:
    """Compact JSON; a lone surrogate, which UTF-8 cannot encode, is escaped."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text


def compress_text(text: str) -> str:
    """Text compressed with gzip and encoded in Base64; equal texts give equal bytes."""
    return base64.b64encode(gzip.compress(text.encode(), 6, mtime=0)).decode()


def pack_numbers(values: Sequence[int]) -> str:
    """Whole numbers from 0 as letters: the number of bytes of each (1, 2 or 4, little-endian) before the colon.

    >>> pack_numbers([1, 2, 255]), pack_numbers([0, 256])
    ('1:AQL/', '2:AAAAAQ==')
    """
    array = np.asarray(values, np.int64)
    if array.size and (array.min() < 0 or array.max() >= 2**32):
        array = np.clip(array, 0, 2**32 - 1)
    top = int(array.max()) if array.size else 0
    size = 1 if top < 2**8 else 2 if top < 2**16 else 4
    return f"{size}:{base64.b64encode(array.astype(f'<u{size}').tobytes()).decode()}"
