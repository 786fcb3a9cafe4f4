"""The packages of others: every one that pyproject.toml asks for is locked with hashes, and its licence is listed."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from importlib.metadata import PackageNotFoundError, metadata
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"]
GROUPS = PROJECT["dependency-groups"]
RUN = PROJECT["project"]["dependencies"]
ALONE: dict[str, str] = {}
"""Extras that are not in the list of the tests, and why; each has a list of its own."""
UNLOCKED = {"recipes": "frameworks of many gigabytes, in an environment of its own that no test needs"}
"""Groups without a list, and why."""

ASKED = {
    "build": PROJECT["build-system"]["requires"] + GROUPS["build"],
    "run": RUN,
    "figures": RUN + EXTRAS["figures"],
    "server": RUN + EXTRAS["server"],
    "dev": [
        *RUN,
        *chain(*(GROUPS[name] for name in GROUPS.keys() - UNLOCKED)),
        *chain(*(EXTRAS[name] for name in EXTRAS.keys() - ALONE)),
    ],
}

BUILT = {
    "docopt": ["setuptools"],
    "gruut": ["setuptools"],
    "gruut-ipa": ["setuptools"],
    "gruut-lang-en": ["setuptools"],
    "gruut-lang-fr": ["setuptools"],
    "meeteval": ["setuptools", "wheel", "cython", "numpy"],
    "seqeval": ["setuptools", "setuptools-scm", "wheel"],
}
"""Packages that come as a source alone, and what each is built with, by its own pyproject.toml or setup.py."""
ONE_WHEEL: set[str] = set()
"""Packages that come as one wheel, and no source."""

spec = importlib.util.spec_from_file_location("licences", ROOT / "docs" / "licences.py")
assert spec is not None and spec.loader is not None
licences = importlib.util.module_from_spec(spec)
spec.loader.exec_module(licences)


@pytest.mark.parametrize("name", ASKED)
def test_the_lock_holds_what_is_asked_for(name: str) -> None:
    locked = licences.locked_packages(name)
    for requirement in map(Requirement, ASKED[name]):
        version = locked.get(canonicalize_name(requirement.name))
        assert version and version in requirement.specifier, f"{requirement}: run make lock"


@pytest.mark.parametrize("name", ASKED)
def test_every_package_is_locked_by_its_hashes_and_no_address(name: str) -> None:
    text = (ROOT / "locks" / f"{name}.txt").read_text("utf-8")
    packages = re.split(r"\n(?=\S)", text.strip())
    assert len(packages) == len(licences.locked_packages(name))
    for package in packages:
        assert re.fullmatch(r"[\w.-]+==[\w.]+( ; [^\\]+?)?( \\\n    --hash=sha256:[0-9a-f]{64})+", package), package


LISTS = sorted(path.stem for path in (ROOT / "locks").glob("*.txt"))


def test_what_comes_as_a_source_can_be_built_where_nothing_was_ever_built() -> None:
    """Without isolation, as everything is locked: what builds a package is there before it, with its hashes."""
    texts = {name: (ROOT / "locks" / f"{name}.txt").read_text("utf-8") for name in LISTS}
    packages = [package for text in texts.values() for package in re.split(r"\n(?=\S)", text.strip())]
    of_one_file = {package.partition("==")[0] for package in packages if package.count("--hash=") == 1}
    assert of_one_file == BUILT.keys() | ONE_WHEEL, "a source or a wheel? say so here, and what a source is built with"
    there_before = licences.locked_packages("build") | licences.locked_packages("run")
    lacking = {tool for tools in BUILT.values() for tool in tools} - there_before.keys()
    assert not lacking, "add it to the group build, and run make lock"


def test_what_builds_is_installed_first() -> None:
    rules = re.findall(r"^(\.venv/\.\w+): (.*)\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text("utf-8"), re.M)
    installed = {target: re.findall(r"locks/(\w+)\.txt", lines) for target, _, lines in rules}
    assert installed[".venv/.runs"] == ["build", "run"]
    for target, needed, _ in rules:
        assert target == ".venv/.runs" or ".venv/.runs" in needed.split(), target
        assert {f"locks/{name}.txt" for name in installed[target]} <= {*needed.split()}, "made again when it changes"


@pytest.mark.parametrize("name", sorted(ASKED.keys() - {"dev"}))
def test_the_lists_agree(name: str) -> None:
    everything = licences.locked_packages("dev")
    differ = {
        item for item, version in licences.locked_packages(name).items() if everything.get(item, version) != version
    }
    assert not differ


def test_the_makefile_locks_every_extra() -> None:
    match = re.search(r"^LOCKED := (.*)$", (ROOT / "Makefile").read_text("utf-8"), re.M)
    assert match is not None
    assert {*match[1].split()} | ALONE.keys() == EXTRAS.keys()


def test_the_page_of_licences_lists_what_is_locked() -> None:
    page = licences.PAGE.read_text("utf-8")
    listed = dict(re.findall(r"^\| ([\w.-]+) \| (\S+) \|", page, re.M))
    listed.pop("package")
    assert listed == licences.locked_packages("dev"), "run make lock"
    for package, version, named in re.findall(r"^\| ([\w.-]+) \| (\S+) \| \w+ \| (.*) \|$", page, re.M):
        try:
            installed = metadata(package)
        except PackageNotFoundError:
            continue  # of another system
        if installed["Version"] == version:
            assert licences.licence(installed) == named, "run make lock"
