"""Nothing that is sent to a server becomes code: neither Python, nor a template, a command, markup or a script.

What `tests/cli/test_hard_to_hurt.py` looks for in every room are calls; here are imports, templates and scripts too.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.sessions.serializers import JSONSerializer
from django.core import signing
from django.utils.module_loading import import_string

import aune

SOURCE = Path(aune.__file__).parent
ROOMS = ("server", "campaign", "workbench", "web")
PYTHON = [SOURCE / "sandbox.py", *(path for room in ROOMS for path in sorted((SOURCE / room).rglob("*.py")))]
READING_CODE = {
    "pickle", "cPickle", "_pickle", "pickletools", "marshal", "shelve", "dill", "joblib", "cloudpickle", "yaml",
    "runpy", "code", "codeop", "imp", "torch", "django.core.cache", "jinja2", "string.Template", "xmlrpc",
    "logging.config",
}  # fmt: skip
"""Modules that make code of data, or templates; Django's caches hold pickles."""
MAKING_CODE = {
    "eval", "exec", "compile", "__import__", "import_module", "import_string", "read_pickle", "read_hdf", "execv",
    "execve", "execvp", "spawnv", "spawnl", "startfile", "getoutput", "getstatusoutput", "from_string", "Template",
    "load_module", "exec_module", "SafeString", "SafeText", "load_library", "mark_safe",
}  # fmt: skip
ALLOWED = {
    (
        "server/workbench/guidelines.py",
        "mark_safe",
    ): "Markdown that aune.workbench.markdown rendered without any HTML of its author",
    (
        "server/campaign/results.py",
        "mark_safe",
    ): "parts of pages that aune.campaign.publication.visible_results.static_pages wrote, with all text escaped",
    (
        "server/campaign/markdown_text.py",
        "mark_safe",
    ): "Markdown of the organisers, rendered without HTML of theirs and with links of three schemes only",
    ("server/startup.py", "Popen"): "the worker of the site: Python, and a module of aune",
    ("sandbox.py", "Popen"): "a job: a module of aune and a folder that it made; or a scorer, inside its sandbox",
    ("sandbox.py", "run"): "whether a sandbox works here: a command of ours, without data",
    ("campaign/runs/scorer_execution.py", "exec_module"): "the organiser's measure, in a process inside its sandbox",
}


def name_of(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def imported_names(tree: ast.AST) -> Iterator[str]:
    """Every module that a file imports, and every name out of it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (item.name for item in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{item.name}" for item in node.names)


def test_nothing_is_imported_that_makes_code_of_data() -> None:
    wrong = [
        f"{name_of(path)}: {module}"
        for path in PYTHON
        for module in imported_names(ast.parse(path.read_text("utf-8")))
        if {module, module.partition(".")[0]} & READING_CODE
    ]
    assert not wrong, "\n".join(wrong)


def make_sample(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    """The calls that make code, markup or a process, or have a program run by a shell."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            whole = ast.unparse(node.func)
            called = whole.rpartition(".")[2]
            by_shell = any(word.arg == "shell" and ast.unparse(word.value) != "False" for word in node.keywords)
            runs = whole.startswith("subprocess.") and called in ("Popen", "run", "call", "check_call", "check_output")
            makes = called in MAKING_CODE and whole != "re.compile"
            if makes or by_shell or runs or whole in ("os.system", "os.popen"):
                yield called, node


def test_what_makes_code_markup_or_processes_is_known() -> None:
    result = {
        (name_of(path), called): node.lineno
        for path in PYTHON
        for called, node in make_sample(ast.parse(path.read_text("utf-8")))
    }
    assert result.keys() <= ALLOWED.keys(), "say here why no data can reach it, or do without"


CONTAINING = {
    "setrlimit": {"sandbox.py", "server/startup.py"},  # the latter may open more files, for its connections
    "prlimit": {"sandbox.py"},
    "prctl": {"sandbox.py"},
    "killpg": {"sandbox.py"},
    "fork": {"sandbox.py", "server/fork_server.py"},
    "Popen": {"sandbox.py", "server/startup.py"},
}
"""What makes and limits processes, and who calls it: there is one sandbox."""


def test_there_is_one_sandbox() -> None:
    callers: dict[str, set[str]] = {name: set() for name in CONTAINING}
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and (name := ast.unparse(node.func).rpartition(".")[2]) in CONTAINING:
                callers[name].add(name_of(path))
    assert callers == CONTAINING


def test_templates_show_text_and_are_named_by_us() -> None:
    for path in sorted((SOURCE / "server" / "templates").rglob("*.html")):
        text = path.read_text("utf-8")
        assert not re.search(r"\|\s*(safe|safeseq)\b|autoescape\s+off|\{%\s*debug|<script(?![^>]* src=)", text), path
        assert not re.search(r"\son\w+\s*=\s*[\x27\"]|javascript:|hx-on|hx-vals=.js:|srcdoc", text), path
        assert not re.search(r"\s[\w:-]+=\{\{", text), f"{path}: an attribute without quotation marks"


RUN_BY_BROWSERS = re.compile(
    r"\binnerHTML\b|\bouterHTML\b|insertAdjacentHTML|document\.write|\beval\(|new Function|\bFunction\(|setHTMLUnsafe|"
    r"createContextualFragment|parseFromString|srcdoc|javascript:|set(?:Timeout|Interval)\(\s*[\"'`]|"
    r"setAttribute\(\s*[\"'`]on|import\((?!\s*[\"'`])"
)


@pytest.mark.parametrize("path", sorted((SOURCE / "web").rglob("*.js")), ids=lambda path: path.name)
def test_scripts_make_nodes_and_no_markup(path: Path) -> None:
    assert not (result := RUN_BY_BROWSERS.findall(path.read_text("utf-8"))), result


def test_what_is_signed_is_json() -> None:
    """Whoever had the secret could sign, but nothing that is signed is code."""
    assert import_string(settings.SESSION_SERIALIZER) in (JSONSerializer, signing.JSONSerializer)
    assert "signed_cookies" in settings.SESSION_ENGINE
    assert signing.loads.__defaults__ and signing.JSONSerializer in signing.loads.__defaults__
    assert [backend["BACKEND"] for backend in settings.TEMPLATES] == ["django.template.backends.django.DjangoTemplates"]
    assert "debug" not in str(settings.TEMPLATES) and settings.DEBUG is False
