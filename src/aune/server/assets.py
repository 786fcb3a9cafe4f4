"""The static files of pages: the modules of `web` and htmx, under a URL that changes with their content."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import aune.web

WEB = Path(aune.web.__file__).parent
TEMPLATES = Path(__file__).parent / "templates"
SERVED = (".js", ".css")


def htmx() -> Path:
    """The folder that contains htmx, inside the package django_htmx."""
    spec = find_spec("django_htmx")
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parent / "static" / "django_htmx"


@cache
def files() -> dict[str, Path]:
    """The static files, by their paths: `shared/dom.js`."""
    modules = {path.relative_to(WEB).as_posix(): path for path in sorted(WEB.rglob("*")) if path.suffix in SERVED}
    return modules | {"htmx.js": htmx() / "htmx-2.min.js"}


@cache
def prefix() -> str:
    """The URL prefix of the static files, which is a digest of their content."""
    digest = hashlib.sha256()
    for name, path in files().items():
        digest.update(name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return f"/static/{digest.hexdigest()[:16]}/"
