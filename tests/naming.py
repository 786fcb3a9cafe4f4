"""Names in the source tree: function names that are a bare participle, vague local names, classes and modules alike.

`python tests/naming.py src/aune` prints the figures, of any checkout; `tests/test_naming.py` guards them.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

IRREGULAR = frozenset({
    "asked", "begun", "bound", "bought", "brought", "built", "caught", "chosen", "cut", "dealt", "done", "drawn",
    "driven", "felt", "found", "forgotten", "given", "gone", "grown", "heard", "held", "hidden", "kept", "known",
    "laid", "led", "left", "lent", "lost", "made", "meant", "met", "paid", "put", "said", "seen", "sent", "set",
    "shown", "shut", "sold", "sought", "spoken", "spent", "spread", "stood", "stolen", "struck", "swept", "taken",
    "taught", "thought", "thrown", "told", "torn", "understood", "won", "worn", "written",
})  # fmt: skip
"""Past participles that do not end in -ed, as names of functions."""
NOT_PARTICIPLES = frozenset(
    ["bed", "embed", "exceed", "feed", "need", "proceed", "red", "seed", "set", "shed", "speed"]
)
VAGUE = frozenset({
    "asked", "both", "found", "given", "held", "kept", "mine", "one", "own", "said", "theirs", "there", "told",
})  # fmt: skip
"""Names that say nothing of the value they stand for."""
ENDINGS = r"(?:ing|ison|ed|er|ies|es|s|y|e)$"
SHORT = 5  # letters of a name up to which one letter makes another word


def python_modules(source: Path) -> dict[str, Path]:
    """Every module of a source tree by name."""
    names = {path: ("aune", *path.relative_to(source).with_suffix("").parts) for path in sorted(source.rglob("*.py"))}
    return {".".join(parts[:-1] if parts[-1] == "__init__" else parts): path for path, parts in names.items()}


class Binding(NamedTuple):
    """A name that a function binds: a parameter, or a local variable."""

    module: str
    function: str
    line: int
    name: str


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function and method of a module, nested ones too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def is_bare_participle(name: str) -> bool:
    """Whether a name is one word that says what was done, and not to what.

    >>> is_bare_participle("_told"), is_bare_participle("opened"), is_bare_participle("sorted_rows")
    (True, True, False)
    """
    word = name.strip("_")
    if "_" in word or word in NOT_PARTICIPLES:
        return False
    return word in IRREGULAR or word.endswith("ed")


def bare_participles(files: dict[str, Path]) -> list[str]:
    """Functions whose name is a bare participle."""
    return [
        f"{module}.{function.name}"
        for module, path in files.items()
        for function in functions(ast.parse(path.read_text("utf-8")))
        if is_bare_participle(function.name)
    ]


def vague_bindings(files: dict[str, Path]) -> list[Binding]:
    """Vague names among the parameters and local variables of functions; each once per function."""
    return [
        Binding(module, function.name, function.lineno, name)
        for module, path in files.items()
        for function in functions(ast.parse(path.read_text("utf-8")))
        for name in sorted(_vague_names(function))
    ]


def _vague_names(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """The vague names that a function binds; `found` beside `expected` is a part of a problem's message."""
    names = _bound_names(function)
    return (names & VAGUE) - ({"found"} if "expected" in names else set())


def _bound_names(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str]:
    """The names that a function binds itself, and not a function inside it."""
    names: set[str] = set()
    waiting: list[ast.AST] = [function.args, *function.body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                names.add(name)
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.ExceptHandler(name=str(name)):
                names.add(name)
        waiting.extend(ast.iter_child_nodes(node))
    return names


def repeated_classes(files: dict[str, Path]) -> list[str]:
    """Names that several public classes of one package have."""
    counts: Counter[tuple[str, str]] = Counter()
    for module, path in files.items():
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                counts[_package(module), node.name] += 1
    return sorted(f"{package}: {name} ({count})" for (package, name), count in counts.items() if count > 1)


def _package(module: str) -> str:
    """The package of a module: right under `aune`, or the task's own under `aune.tasks`."""
    depth = 3 if module.startswith(("aune.tasks.", "aune.server.")) else 2
    return ".".join(module.split(".")[:depth])


def similar_modules(files: dict[str, Path]) -> list[str]:
    """Modules of one folder whose names differ by a letter or an ending only."""
    folders: dict[str, list[str]] = {}
    for module in files:
        folder, _, name = module.rpartition(".")
        folders.setdefault(folder, []).append(name)
    return [
        f"{folder}: {first}, {second}"
        for folder, names in folders.items()
        for first, second in combinations(sorted(names), 2)
        if _are_similar(first, second)
    ]


def _are_similar(first: str, second: str) -> bool:
    """Whether two names differ by an ending, or by one letter of a long word.

    >>> _are_similar("backup", "backups"), _are_similar("work", "worker"), _are_similar("comparing", "comparison")
    (True, True, True)
    """
    if len({re.sub(ENDINGS, "", name) for name in (first, second)}) == 1:
        return True
    differences = sum(one_letter != other_letter for one_letter, other_letter in zip(first, second, strict=False))
    return len(first) == len(second) > SHORT and differences == 1


def long_lines(folder: Path, pattern: str, most: int) -> list[str]:
    """Lines of some files that are longer than a limit."""
    return [
        f"{path.relative_to(folder)}:{number}"
        for path in sorted(folder.rglob(pattern))
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if len(line) > most
    ]


def main() -> None:
    """Print the figures of a source tree."""
    source = Path(sys.argv[1])
    files = python_modules(source)
    total = sum(1 for path in files.values() for _ in functions(ast.parse(path.read_text("utf-8"))))
    participles = bare_participles(files)
    print(f"{len(files):6} modules with {total} functions")
    print(f"{len(participles):6} functions named by a bare participle ({len(participles) / total:.1%})")
    print(f"{len(vague_bindings(files)):6} vague names of local variables and parameters")
    print(f"{len(repeated_classes(files)):6} class names used twice in a package")
    print(f"{len(long_lines(source, '*.html', 160)):6} lines of templates over 160 characters")
    print(f"{len(long_lines(source, '*.js', 120)):6} lines of JavaScript over 120 characters")


if __name__ == "__main__":
    main()
