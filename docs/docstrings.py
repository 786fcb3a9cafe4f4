"""Docstrings on the page of the Python interface: their examples are code, as on the pages of measures."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object

EXAMPLE = re.compile(r"^>>> .*(?:\n.+)*", re.MULTILINE)


class Examples(Extension):
    """Fences around what begins with `>>>`."""

    def on_instance(self, *, obj: Object, **others: Any) -> None:
        if obj.docstring and not obj.is_alias:
            obj.docstring.value = EXAMPLE.sub(r"```pycon\n\g<0>\n```", obj.docstring.value)
