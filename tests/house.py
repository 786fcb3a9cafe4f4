"""The modules of `aune`: what each imports (inside functions too), its package, and its lines of code."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import aune

SOURCE = Path(aune.__file__).parent
PUBLIC = "aune"  # imports the public names lazily: nothing depends on what is behind them


def modules(source: Path = SOURCE) -> dict[str, Path]:
    """Every module by name."""
    return {_name(path, source): path for path in sorted(source.rglob("*.py"))}


def _name(path: Path, source: Path) -> str:
    parts = ("aune", *path.relative_to(source).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(source: Path = SOURCE) -> dict[str, set[str]]:
    """What each module imports, wherever the import stands; not what only a type checker sees."""
    known = modules(source)
    return {
        name: {result for target in _targets(path) if (result := _nearest(target, known)) and result != name}
        for name, path in known.items()
    }


def _targets(path: Path) -> Iterator[str]:
    for node in statements(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@cache
def statements(path: Path) -> list[ast.stmt]:
    """The statements of a module, inside others too, without what stands under `if TYPE_CHECKING`."""
    result: list[ast.stmt] = []
    waiting: list[ast.AST] = [ast.parse(path.read_text("utf-8"))]
    while waiting:
        for child in ast.iter_child_nodes(waiting.pop()):
            if isinstance(child, ast.If) and isinstance(child.test, ast.Name) and child.test.id == "TYPE_CHECKING":
                continue
            if isinstance(child, ast.stmt):
                result.append(child)
            if not isinstance(child, ast.expr):
                waiting.append(child)
    return result


def _nearest(target: str, known: Mapping[str, Path]) -> str | None:
    """The module that is imported: the name itself, or the module that the name is taken from."""
    return next((name for name in (target, target.rpartition(".")[0]) if name in known), None)


def cycles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """The sets of modules that import each other, by Tarjan's algorithm."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    result: list[list[str]] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for target in sorted(graph[name]):
            if target not in index:
                visit(target)
                low[name] = min(low[name], low[target])
            elif target in stack:
                low[name] = min(low[name], index[target])
        if low[name] == index[name]:
            together = stack[stack.index(name) :]
            del stack[stack.index(name) :]
            if len(together) > 1:
                result.append(sorted(together))

    for name in sorted(graph):
        if name not in index:
            visit(name)
    return result


def package_of(module: str) -> str:
    """The package of a module: the folder (or file) right under `aune`."""
    return module.split(".")[1] if "." in module else ""


def draw_graph(graph: Mapping[str, set[str]]) -> str:
    """The packages and what each imports, one line each."""
    edges: dict[str, dict[str, int]] = {}
    for name, targets in graph.items():
        for target in targets:
            if package_of(name) != package_of(target):
                counts = edges.setdefault(package_of(name), {})
                counts[package_of(target)] = counts.get(package_of(target), 0) + 1
    return "\n".join(
        f"{source or 'aune':11} → " + ", ".join(f"{target or 'aune'} ({count})" for target, count in sorted(to.items()))
        for source, to in sorted(edges.items())
    )


def code_lines(path: Path) -> int:
    """Lines of code: no blanks, no comments, no docstrings."""
    text = path.read_text("utf-8")
    remaining = {
        line
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if _is_code(token)
        for line in range(token.start[0], token.end[0] + 1)
    }
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            remaining -= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(remaining)


def _is_code(token: tokenize.TokenInfo) -> bool:
    return token.type not in (
        tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER,
    )  # fmt: skip


def main() -> None:
    """Print the lines of code of every package, and the import graph of packages."""
    lines: dict[str, int] = {}
    for name, path in modules().items():
        lines[package_of(name) or PUBLIC] = lines.get(package_of(name) or PUBLIC, 0) + code_lines(path)
    for place, count in sorted(lines.items()):
        print(f"{place:12} {count:6}")
    print(f"{'all':12} {sum(lines.values()):6}\n\n{draw_graph(imports())}")


if __name__ == "__main__":
    main()
