"""A working folder full of files named like modules, each of which leaves its name when it is run."""

from __future__ import annotations

import sys
from importlib.metadata import packages_distributions
from pathlib import Path

ABSENT = {"org", "cairosvg", "uvloop", "sitecustomize", "usercustomize", "settings", "conftest"}
"""What packages look for and may not find."""


class Planted:
    """Stand-ins for every module of Python and of every package that is installed, in one folder."""

    def __init__(self, folder: Path) -> None:
        self.heard = folder / "heard"
        self.heard.mkdir()
        for name in {*sys.stdlib_module_names, *packages_distributions(), *ABSENT}:
            if name.isidentifier():
                message = f"open({str(self.heard / name)!r}, 'w').close()\n"
                (folder / f"{name}.py").write_text(f"{message}raise ImportError('a stand-in for {name}')\n")

    def ran(self) -> list[str]:
        return sorted(path.name for path in self.heard.iterdir())
