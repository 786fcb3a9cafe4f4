"""Names are plain English: what `tests/naming.py` finds is listed here with the reason, and nothing else may come."""

from __future__ import annotations

import ast
from pathlib import Path

from tests import naming
from tests.house import SOURCE

FILES = naming.python_modules(SOURCE)
ROOT = Path(__file__).parents[1]
BESIDE = {
    f"{folder}:{name}": path
    for folder in ("tests", "benchmarks", "docs")
    for name, path in naming.python_modules(ROOT / folder).items()
}
"""The modules beside the source: tests, benchmarks, and the scripts of the documentation."""

PARTICIPLES: dict[str, str] = {
    "aune.server.campaign.migrations.0003_address.moved": "a migration, which stays as it was run",
}
"""Functions named by a bare participle, and why they are."""
VAGUE: dict[str, str] = {}
"""Vague names of parameters and local variables, and why they stay."""
OF_THE_CONTRACT = {"Comparison", "Counts", "Document", "Migration", "Score"}
"""Classes that every task or measure has under the same name: the contract says so; migrations are Django's."""
REPEATED: dict[str, str] = {}
"""Classes whose name several modules of a package use, and why."""
SIMILAR: dict[str, str] = {}
"""Modules whose names are alike, and why."""


def check(names: list[str], exceptions: dict[str, str], hint: str) -> None:
    """Fail for a name without a reason, and for a reason without a name."""
    unexplained = sorted(set(names) - set(exceptions))
    assert not unexplained, f"{hint}:\n" + "\n".join(unexplained)
    outdated = sorted(set(exceptions) - set(names))
    assert not outdated, "these are gone, take them off the list:\n" + "\n".join(outdated)


def test_functions_are_not_named_by_a_bare_participle() -> None:
    check(naming.bare_participles(FILES), PARTICIPLES, "name the function by a verb and a noun")


def test_local_variables_are_named_for_their_values() -> None:
    bindings = [f"{item.module}.{item.function}: {item.name}" for item in naming.vague_bindings(FILES)]
    check(bindings, VAGUE, "name the value")


def test_a_class_name_is_used_once_in_a_package() -> None:
    repeated = [text for text in naming.repeated_classes(FILES) if text.split()[1] not in OF_THE_CONTRACT]
    check(repeated, REPEATED, "find another name for one of them")


def test_modules_of_a_folder_have_names_that_differ() -> None:
    """Measures, formats and commands have the names that people type."""
    files = {name: path for name, path in FILES.items() if path.parent.name not in ("measures", "formats", "cli")}
    check(naming.similar_modules(files), SIMILAR, "rename one of them for what it does")


def test_names_beside_the_source_are_plain_too() -> None:
    """Methods of test classes are left out: their attributes are read in many files."""
    functions = [
        f"{module}.{node.name}"
        for module, path in BESIDE.items()
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef) and naming.is_bare_participle(node.name)
    ]
    bindings = [f"{item.module}.{item.function}: {item.name}" for item in naming.vague_bindings(BESIDE)]
    assert not functions, "name the function by a verb and a noun"
    assert not bindings, "name the value"
