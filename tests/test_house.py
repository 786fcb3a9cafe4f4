"""The house stands: imports go one way, hooks are fields, and `tests/` mirrors `src/`.

What is still missing is listed by name, so that nothing new can go missing.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

from aune.contract import registry
from tests import naming
from tests.house import PUBLIC, SOURCE, code_lines, cycles, draw_graph, imports, modules, package_of, statements
from tests.template_layout import format_template

HERE = Path(__file__).parent

LAYERS = [
    {"errors", "signals", "compression", "files", "privacy", "sandbox", "store", "numeric"},
    {"contract"},
    {"reading"},
    {"results"},
    {"evaluation"},
    {"syntax", "alignment", "typologies"},
    {"tasks"},
    {"corrections"},
    {"statistics", "api"},
    {"meta", "baselines", "explain", "doubtful_items"},
    {"reports", "web"},
    {"workbench", "campaign"},
    {"server", "cli", "pytest_plugin", "__main__"},
]
"""What may import what: a package imports from its own layer and from those before it."""


def layer(module: str) -> int:
    result = [number for number, packages in enumerate(LAYERS) if package_of(module) in packages]
    assert result, f"{module}: its package {package_of(module)!r} is in no layer"
    return result[0]


def test_imports_go_one_way() -> None:
    """Imports inside functions count too. The graph is printed, for those who ask (`pytest -s tests/test_house.py`)."""
    graph = imports()
    print(draw_graph(graph))
    upward = [
        f"{name} imports {target}"
        for name, targets in graph.items()
        for target in targets
        if PUBLIC not in (name, target) and layer(target) > layer(name)
    ]
    assert not upward


def test_nothing_imports_itself_through_others() -> None:
    """`aune` imports its public names when they are first used, so importing from it depends on nothing behind it."""
    graph = {
        name: {target for target in targets if target != PUBLIC}
        for name, targets in imports().items()
        if name != PUBLIC
    }
    circles = cycles(graph)
    assert not circles, "\n".join(map(" ↔ ".join, circles))


LOOKED_UP = {
    "aune": "public names are loaded when first used",
    "aune.contract.registry": "the walk over tasks, and a user's own module:ATTRIBUTE",
    "aune.results.result": "pandas or polars, whichever is there",
    "aune.reading.remote": "fsspec, when an address was typed",
    "aune.results.storage": "pyarrow alone, when rows go to a disk (what rows may name is shown in tests/results)",
    "aune.evaluation.engines.dask": "Dask, when a cluster was asked for",
    "aune.baselines": "the walk over baselines",
    "aune.cli._application": "the walk over commands",
    "aune.reports.figures": "the walk over figures",
}
"""Who may import by a name that is made at run time, and why."""


def test_nothing_is_found_by_its_path() -> None:
    """A hook of a task is a field of `TASK`: whoever imports by a made-up name is listed with the reason."""
    dynamic = {name for name, path in modules().items() if re.search(r"\bimport_module\(", path.read_text("utf-8"))}
    storage = modules()["aune.results.storage"].read_text("utf-8")
    assert set(re.findall(r"import_module\((.*?)\)", storage)) == {'"pyarrow"', '"pyarrow.parquet"'}
    check_list(dynamic, set(LOOKED_UP), "who imports by a made-up name (hooks are fields of TASK)")


def test_nothing_private_of_another_room() -> None:
    """`other._private` and `from other import _private` stay inside a package."""
    result = []
    for name, path in modules().items():
        for node in statements(path):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("aune"):
                foreign = node.module.split(".")[:2] != name.split(".")[:2]
                result += [
                    f"{name}: {node.module}.{item.name}"
                    for item in node.names
                    if foreign and re.match("_[^_]", item.name)
                ]
    assert not result


# Tests mirror src.

MEASURES = [measure.name for task in registry.task_names() for measure in registry.measures(task)]
FORMATS = [(task, form) for task in registry.task_names() for form in registry.formats(task)]

UNTESTED_MEASURES: set[str] = set()
"""Measures without a test file of their own."""
WITHOUT_SAMPLES: set[str] = set()
"""Formats without a well-formed sample."""
WITHOUT_MALFORMED: set[str] = set()
"""Formats without malformed files and their messages."""
WITHOUT_ROUND_TRIP: set[str] = set()
"""Formats that are written, but whose test file does not read back what was written."""


def check_list(missing: set[str], listed: set[str], what: str) -> None:
    assert not missing - listed, f"{what}: {', '.join(sorted(missing - listed))}"
    assert not listed - missing, f"no longer missing, take them off the list: {', '.join(sorted(listed - missing))}"


def test_every_measure_has_its_test_file() -> None:
    homes = {name: HERE / "tasks" / name.replace(".", "/measures/test_", 1) for name in MEASURES}
    missing = {name for name, home in homes.items() if not home.with_suffix(".py").exists()}
    check_list(missing, UNTESTED_MEASURES, "measures without tests/tasks/TASK/measures/test_NAME.py")


@pytest.mark.parametrize(("folder", "listed"), [("samples", WITHOUT_SAMPLES), ("malformed", WITHOUT_MALFORMED)])
def test_every_format_has_its_files(folder: str, listed: set[str]) -> None:
    missing = {
        f"{task}.{form.name}"
        for task, form in FORMATS
        if not list((HERE / "tasks" / task / "formats" / folder).glob(f"{form.name}-*"))
    }
    check_list(missing, listed, f"formats without files in formats/{folder}")


def test_every_written_format_has_a_round_trip() -> None:
    """Somewhere in the format's own test file what it wrote is read again."""
    missing = set()
    for task, form in FORMATS:
        home = HERE / "tasks" / task / "formats" / f"test_{form.name}.py"
        if form.write and not (home.exists() and re.search(r"writ", home.read_text("utf-8"))):
            missing.add(f"{task}.{form.name}")
    check_list(
        missing, WITHOUT_ROUND_TRIP, "formats without tests/tasks/TASK/formats/test_NAME.py that writes and reads"
    )


def test_every_test_has_something_to_test() -> None:
    """A file `tests/a/b/test_c.py` stands for `src/aune/a/b/c.py` or the package `c`, or for several files of `a/b`."""
    packages = {path.relative_to(SOURCE).parent for path in modules().values()}
    strangers = [
        str(path.relative_to(HERE))
        for path in sorted(HERE.rglob("test_*.py"))
        if path.relative_to(HERE).parent not in packages
        and path.relative_to(HERE).parts[0] not in ("rivals", "fuzz", "compatibility")
    ]
    assert not strangers


def test_code_lines_are_counted(tmp_path: Path) -> None:
    """Without blanks, comments and docstrings; `python tests/house.py` prints how many each package has."""
    (tmp_path / "a.py").write_text('"""Doc."""\n\n# why\ndef f():\n    """Doc."""\n    return (\n        1\n    )\n')
    assert code_lines(tmp_path / "a.py") == 4


ONE_MEANING = ("Side", "Table", "ErrorRecord", "Column", "Errors")
"""Words that many packages use, each with one meaning."""


@pytest.mark.parametrize("word", ONE_MEANING)
def test_words_mean_one_thing(word: str) -> None:
    text = "\n".join(path.read_text("utf-8") for path in modules().values())
    assert len(re.findall(rf"^(?:class {word}\b|{word}: TypeAlias)", text, re.M)) == 1, "find another word"


FOR_EVERYTHING = {"found", "one", "own", "given"}


def test_parameters_are_named_for_their_type() -> None:
    """A document is called so, and several are documents; `one` and `other` of the same type stay."""
    classes = {node.name for path in modules().values() for node in statements(path) if isinstance(node, ast.ClassDef)}
    vague = []
    for name, path in modules().items():
        for function in statements(path):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                types = [(item.arg, _type(item, classes)) for item in function.args.posonlyargs + function.args.args]
                several = Counter(type_ for _, type_ in types)
                vague += [f"{name}.{function.name}: {argument} is a {type_}" for argument, type_ in types
                          if argument in FOR_EVERYTHING and type_ and several[type_] == 1]  # fmt: skip
    assert not vague, "\n".join(vague)


def _type(argument: ast.arg, classes: set[str]) -> str:
    """The class of the house that an argument is, or holds several of; '' for any other type."""
    match argument.annotation:
        case ast.Name(name) if name in classes:
            return name
        case ast.Subscript(ast.Name("Sequence" | "Iterable" | "list"), ast.Name(name)) if name in classes:
            return f"row of {name}"
    return ""


# Files and functions are read from top to bottom.

LONGEST = 50
"""Lines of a function, without its heading and docstring."""
READS = ("Counts", "Score", "count", "settle", "score", "details", "MEASURE")
"""The order in which a measure's file says what it has to say; what helps stands between."""


def test_functions_fit_a_screen() -> None:
    long = [
        f"{name}.{node.name}: {length} lines"
        for name, path in modules().items()
        for node in statements(path)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (length := _length(node)) > LONGEST
    ]
    assert not long, "\n".join(long)


def _length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    first, *rest = function.body
    begins = rest[0] if rest and ast.get_docstring(function, clean=False) is not None else first
    return (function.body[-1].end_lineno or 0) - begins.lineno + 1


@pytest.mark.parametrize("path", sorted(SOURCE.glob("tasks/*/measures/[a-z]*.py")), ids=lambda path: path.stem)
def test_measures_are_read_in_one_order(path: Path) -> None:
    named = [
        node.name if isinstance(node, ast.FunctionDef | ast.ClassDef) else node.targets[0].id
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        or (isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name))
    ]
    assert [name for name in named if name in READS] == [name for name in READS if name in named]
    assert named[-1] == "MEASURE"


TEMPLATES = SOURCE / "server" / "templates"


@pytest.mark.parametrize("path", sorted(TEMPLATES.rglob("*.html")), ids=lambda path: str(path.relative_to(TEMPLATES)))
def test_templates_are_laid_out(path: Path) -> None:
    """`make format` lays them out."""
    text = path.read_text("utf-8")
    assert format_template(text) == text, "run `make format`"
    tags = re.findall(r"\{%.*?%\}|\{\{.*?\}\}", text, re.S)
    assert not [tag for tag in tags if "\n" in tag], "Django reads a tag on one line only"


def test_lines_of_templates_fit() -> None:
    """Those of the server, and that of the report, which Jinja2 reads: a tag may be broken there."""
    assert naming.long_lines(SOURCE, "*.html", 160) == []


WEB = SOURCE / "web"


@pytest.mark.parametrize("path", sorted(WEB.rglob("*.js")), ids=lambda path: str(path.relative_to(WEB)))
def test_lines_of_modules_fit(path: Path) -> None:
    long = [number for number, line in enumerate(path.read_text("utf-8").splitlines(), 1) if len(line) > 120]
    assert not long, f"{path.name} has lines over 120 characters: {long}"


def test_products_import_nothing_from_each_other() -> None:
    """The report, the workbench and the campaign share what is in web/shared."""
    for path in WEB.rglob("*.js"):
        folders = set(re.findall(r'from "\.\./(\w+)/', path.read_text("utf-8")))
        assert folders <= {"shared"}, f"{path.parent.name}/{path.name} imports from {folders}"


def test_nobody_remembers_a_file_by_its_path() -> None:
    """What a user's file holds may change while aune runs: `kept_while_unchanged` notices, `cache` does not."""
    stale = [
        f"{name}.{node.name}"
        for name, path in modules().items()
        for node in statements(path)
        if isinstance(node, ast.FunctionDef)
        and any("cache" in ast.unparse(item).split("(")[0].split("_") for item in node.decorator_list)
        and {"text_of", "bytes_of"} & {document.id for document in ast.walk(node) if isinstance(document, ast.Name)}
    ]
    assert not stale


def test_the_formatter_breaks_no_tag_of_django() -> None:
    """A tag of Django stays on one line, inside the value of an attribute too, where quotes stand within quotes."""
    long = (
        f'<p data-text="{{% if kind == "proposal" %}}{{{{ back|default:"/" }}}}{{% endif %}}" {"x" * 60}="{"y" * 40}">'
    )
    for line in format_template(f"{long}text</p>").splitlines():
        assert line.count("{%") == line.count("%}") and line.count("{{") == line.count("}}")
    for path in TEMPLATES.rglob("*.html"):
        for line in path.read_text("utf-8").splitlines():
            assert line.count("{%") == line.count("%}") and line.count("{{") == line.count("}}"), f"{path}: {line}"
