"""The files of a run as others will meet them: an archive publishes them, and browsers open what they know.

A single file is published under a name of ours. The files of a folder keep their names, so that none may be a page, a
picture, a program or a setting of a web server.
"""

from __future__ import annotations

import mimetypes
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from aune.campaign.keys.key_files import known_endings
from aune.compression import uncompressed_name
from aune.errors import Place, Problem, Remedy

INERT_TYPES = (None, "text/plain", "text/csv", "text/tab-separated-values", "application/json")
"""The types of files that browsers show or store, whatever is in them."""
ACTIVE_ENDINGS = (".md", ".markdown", ".xhtml", ".xht", ".shtml", ".xsl", ".xslt", ".php", ".svgz", ".mjs")
"""Endings that web servers or browsers act on, and that Python does not know on every machine."""
MARKUP = (b"<", b"%PDF")
"""How files begin that browsers recognise without an ending."""
TYPES = mimetypes.MimeTypes()
"""The types that Python knows, whatever is installed on the machine."""


def foreign_file_problems(task: str, upload: str, files: Mapping[str, bytes]) -> Iterator[Problem]:
    """A problem for each file of a folder that is of no format of runs, and that a browser or a server acts on."""
    for name, data in files.items():
        plain = uncompressed_name(name)
        if not known_endings(task, plain) and not is_inert(plain, data):
            what = "a page, a picture, a program or a setting of a web server"
            expected = "the files of a run alone"
            yield Problem("run.foreign-file", Place(f"{upload}!{name}"), what, expected, (Remedy("leave it out"),))


def is_inert(name: str, data: bytes) -> bool:
    r"""Whether browsers show or store a file, and nobody acts on it.

    >>> is_inert("README", b"hello"), is_inert("index.html", b""), is_inert("x", b"\n<p>"), is_inert(".htaccess", b"")
    (True, False, False, False)
    """
    path = PurePosixPath(name.lower())
    is_known = TYPES.guess_type(path.name)[0] in INERT_TYPES and path.suffix not in ACTIVE_ENDINGS
    is_hidden = any(part.startswith(".") for part in path.parts)
    return is_known and not is_hidden and not data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(MARKUP)
