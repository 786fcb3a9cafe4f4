"""The page of licences: what is installed beside aune, and under which terms. `make lock` runs it.

python docs/licences.py
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import PackageMetadata, metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "licences.md"
HEADING = """# Licences of other packages

aune itself is under the MIT licence. This page lists the packages that it and its tests install, with the licence from
each package's metadata. *run* packages come with `pip install aune`, *figures* packages with the extra of that name,
and *dev* packages with the other extras, the tests, the tools for comparison and this site. `make lock` writes this
page.

| package | version | for | licence |
|---|---|---|---|
"""


def locked_packages(name: str) -> dict[str, str]:
    """The packages of one list of `locks/`, and their versions."""
    return dict(re.findall(r"^([\w.-]+)==([^\s;\\]+)", (ROOT / "locks" / f"{name}.txt").read_text("utf-8"), re.M))


def licence(package: PackageMetadata) -> str:
    """What a package says of its licence: an expression, else its classifiers, else the first line of a text."""
    classifiers = [item.rpartition(" :: ")[2] for item in package.get_all("Classifier") or () if "License ::" in item]
    text = (package.get("License") or "").strip().partition("\n")[0]
    named = ", ".join(classifier for classifier in classifiers if classifier != "OSI Approved")
    return str(package.get("License-Expression") or named or text or "not said").replace("|", "/")


def rows() -> Iterator[str]:
    smaller = {name: locked_packages(name) for name in ("run", "figures")}
    for package, version in sorted(locked_packages("dev").items()):
        use = next((name for name, packages in smaller.items() if package in packages), "dev")
        yield f"| {package} | {version} | {use} | {licence(metadata(package))} |\n"


if __name__ == "__main__":
    PAGE.write_text(HEADING + "".join(rows()), encoding="utf-8")
