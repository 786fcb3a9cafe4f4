"""`docs/problems.md` lists every code of a problem that aune reports, and no other."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import aune
from aune.errors import InputError, Place, Problem, Remedy

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs/problems.md"
CODE = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*\.[a-z0-9]+(?:-[a-z0-9]+)*")
REPORTING = {"Problem", "in_file"}
"""Functions whose first argument is a code; so is that of any whose name ends in `problem`, if it looks like one."""


def codes_used() -> dict[str, str]:
    """The codes that calls in the source name, each with the first file that names it."""
    codes: dict[str, str] = {}
    for path in sorted((ROOT / "src/aune").rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        constants = {
            node.targets[0].id: node.value.value
            for node in tree.body
            if isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and isinstance(node.value, ast.Constant)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                for value in _code_arguments(node):
                    code = constants.get(value.id) if isinstance(value, ast.Name) else getattr(value, "value", None)
                    if isinstance(code, str) and CODE.fullmatch(code):
                        codes.setdefault(code, str(path.relative_to(ROOT)))
    return codes


def _code_arguments(call: ast.Call) -> Iterator[ast.expr]:
    """The expressions in a call that may be codes; a condition has two."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    values = [keyword.value for keyword in call.keywords if keyword.arg == "code"]
    if name in REPORTING or name.endswith("problem"):
        values += call.args[:1]
    for value in values:
        yield from (value.body, value.orelse) if isinstance(value, ast.IfExp) else (value,)


def test_the_page_lists_the_codes_that_are_used() -> None:
    listed = re.findall(r"^\| `([^`]+)` \|", PAGE.read_text("utf-8"), re.MULTILINE)
    used = codes_used()
    assert listed == sorted(set(listed)), "sort the table, with each code once"
    assert {code: used[code] for code in used.keys() - set(listed)} == {}, f"add them to {PAGE.name}"
    assert sorted(set(listed) - used.keys()) == [], f"nothing reports them: take them out of {PAGE.name}"


def test_each_surface_words_the_remedy_for_its_reader(tmp_path: Path) -> None:
    problem = Problem("a.b", Place("f"), "x", "y", (Remedy("name it", (("input_format", "FORMAT"),)),))
    assert str(InputError([problem])) == "f:1:1: found x, expected y: name it with --input-format FORMAT"
    error = InputError([problem])
    error.is_for_python = True
    assert str(error) == "f:1:1: found x, expected y: name it with key_format='FORMAT'"
    path = tmp_path / "key.jsonl"
    path.write_text('{"id": "u", "words_": "a"}\n')
    with pytest.raises(InputError, match=r"name it with text_field='FIELD'$"):
        aune.score("speech", str(path), str(path), key_format="manifest", response_format="manifest")
