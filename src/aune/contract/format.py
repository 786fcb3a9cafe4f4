"""A file format: how to recognise, read and write it, and where its documents begin."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple


class Boundaries(NamedTuple):
    """Where the documents of a format begin, and so where a file may be cut.

    A document begins at every line that starts with one of the `marks`. An empty mark stands for every line; a format
    without marks cannot be cut.
    """

    marks: tuple[bytes, ...] = ()
    header: Callable[[bytes], int] | None = None
    """The number of bytes at the beginning of a file that every piece needs."""
    is_cuttable: Callable[[bytes], bool] = bool
    """Whether a file with this beginning can be cut."""
    forbidden: bytes = b""
    """What a file must not contain anywhere if it is to be cut, such as quotes around line ends."""
    option: tuple[str, str] | None = None
    """The reader's option, and its value, under which the marks begin documents."""
    part_marks: tuple[bytes, ...] = ()
    """The marks at which a file that is one document may be cut into parts, such as sentences."""
    by_first_word: bool = False
    """Whether a document begins where the first word of a line differs from that of the line before."""

    @property
    def is_literal(self) -> bool:
        """Whether the marks are words: then a line may begin with one although no document begins there."""
        return bool(self.marks) and min(map(len, self.marks)) > 1


def is_json_lines(head: bytes) -> bool:
    """Whether a file has an object on each line, and not an object over several lines, or a list of objects."""
    first = head.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")[0].rstrip()
    return first.startswith(b"{") and first.endswith(b"}")


def first_line_length(head: bytes) -> int:
    """The length of the first line of a file, including its line end."""
    return head.find(b"\n") + 1


WHOLE_FILE = Boundaries()


EVERY_LINE = Boundaries((b"",))


JSON_LINES = Boundaries((b"{",), is_cuttable=is_json_lines)


SENTENCE_ENDS = (b"\n", b"\r\n")  # an empty line ends a sentence


NEWDOC_LINES = Boundaries((b"# newdoc",), option=("documents", "newdoc"), part_marks=SENTENCE_ENDS)


SGML_DOCUMENTS = Boundaries((b"<DOC>", b"<DOC ", b"<doc>", b"<doc "), forbidden=b"<!--")


RECORDINGS = Boundaries(by_first_word=True)


HEADED_LINES = Boundaries((b"",), header=first_line_length, forbidden=b'"')


@dataclass(frozen=True, repr=False)
class Format:
    """A file format: how to recognise, read and write it. Its name is its file's name."""

    read: Callable[..., Iterable[Any]]
    """`read(source, *, options)`: the documents. Problems are added to the source, which raises them together."""
    sniff: Callable[[str], bool]
    """Whether the first characters of a file look like this format."""
    write: Callable[..., Iterator[str]] | None = None
    """`write(documents)`: the text, in pieces."""
    carries: frozenset[str] = frozenset()
    """What the format can contain in addition to the bare annotation, such as `tokens`; `convert` reports the rest."""
    suffixes: tuple[str, ...] = ()
    """File name suffixes that decide in case of doubt."""
    accepts_any_text: bool = False
    """Whether `sniff` accepts any text at all, so that the name of a file decides rather than its content."""
    could_match: Callable[[str], bool] = lambda head: False
    """Whether a file might be in this format although no format is certain (or, if this format takes any text, although
    another one is certain): then a warning names it."""
    splice: Callable[..., bytes] | None = None
    """`splice(source, documents, *, options of read)`: the bytes of a file in which the annotation is replaced by that
    of documents on the same texts. Everything that did not change has the same bytes."""
    beside: Callable[[Sequence[Any]], Mapping[str, str]] | None = None
    """`beside(documents)`: the texts of the files that must be beside the one that `write` writes, by suffix."""
    companion_endings: tuple[str, ...] = ()
    """Suffixes of the files that belong to a file of this format and are read with it (`a.txt` beside `a.ann`)."""
    settings_files: tuple[str, ...] = ()
    """Names of files that occur in folders of this format and contain no text (`annotation.conf`)."""
    boundaries: Boundaries = WHOLE_FILE
    """Where its documents begin, so that a long file can be read in pieces."""

    @property
    def name(self) -> str:
        return self.read.__module__.rpartition(".")[2]

    def __repr__(self) -> str:
        return f"<aune.Format {self.name}: {', '.join(['read', *(['written'] if self.write else [])])}>"

    @property
    def documentation(self) -> str:
        return inspect.cleandoc(sys.modules[self.read.__module__].__doc__ or "")
