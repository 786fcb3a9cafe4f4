"""ES modules and styles that draw texts, chains, spans, tags and tables, in a folder for each product.

`shared` is used by all of them; `report`, `workbench` and `campaign` import nothing from each other. A server serves
the files unchanged. A report contains them: `inline_modules` concatenates the modules that an entry
needs, without their imports and exports, which works because no name is declared in two of them.
There is no other build step; `tsc` checks the types in the comments.
"""

from __future__ import annotations

import posixpath
import re
from functools import cache
from importlib.resources import files

IMPORT = re.compile(r'^import (?:\{(?P<names>[^}]*)\} from )?"(?P<module>\.{1,2}/[\w./-]+)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const|let)\b)", re.MULTILINE)
DECLARATION = re.compile(r"^(?:export )?(?:async )?(?:function|class|const|let) +(\w+)", re.MULTILINE)


@cache
def asset(name: str) -> str:
    """The text of a file, by its path in this folder: `shared/dom.js`."""
    return files(__name__).joinpath(name).read_text("utf-8")


def ordered_modules(entry: str) -> list[str]:
    """A module and all that it imports, each after its own imports."""
    ordered: dict[str, None] = {}

    def visit(name: str, above: tuple[str, ...]) -> None:
        if name in above:
            raise ValueError(f"modules import each other: {' → '.join((*above, name))}")
        if name not in ordered:
            for needed in IMPORT.finditer(asset(name)):
                visit(posixpath.normpath(posixpath.join(posixpath.dirname(name), needed["module"])), (*above, name))
            ordered[name] = None

    visit(entry, ())
    return list(ordered)


@cache
def inline_modules(entry: str) -> str:
    """A module with all that it imports, as one script."""
    owners: dict[str, str] = {}
    parts = []
    for name in ordered_modules(entry):
        text = asset(name)
        for declared in DECLARATION.findall(text):
            if declared in owners:
                raise ValueError(f"{name} declares {declared}, which {owners[declared]} declares too")
            owners[declared] = name
        parts.append(EXPORT.sub("", IMPORT.sub("", text)).strip())
    return "\n\n".join(parts) + "\n"
