"""`aune tagging table`: check, invert and minimise correspondence tables, and project files through them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import App, Parameter

from aune.cli._inputs import File, FileOrStdin
from aune.cli._output import AsJson, OutputFile, put_json, put_text, warn, writable_format

if TYPE_CHECKING:
    from aune.tasks.tagging.grace.readings import Projection

app = App(
    name="table",
    help="Check, invert, minimise and apply the correspondence tables of taggers.",
    help_format="plaintext",
)

Unlisted = Annotated[Literal["drop", "keep"], Parameter(name=["--unlisted"])]


@app.command
def check(
    table: File, /, *files: File, tagset: File | None = None, input_format: str | None = None, json: AsJson = False
) -> None:
    """Say what a table leaves open, what it does not know, and which tags of the pivot it cannot express.

    Parameters
    ----------
    table
        The table: a TSV or TOML file.
    files
        Outputs of the tagger: which of their tags have no entry, and which entries they never use.
    tagset
        The pivot: upos, grace, or the path of a description.
    input_format
        The format of the files, when it should not be recognised from the content.
    json
        Print the same as JSON, with every tag.
    """
    from aune.contract import registry
    from aune.reading.corpus import read
    from aune.reports.text import align_columns
    from aune.tasks.tagging.grace.correspondence_table import coverage
    from aune.tasks.tagging.lexicon import tag_counts

    projection = _projection(table, tagset)
    assert projection.table is not None
    occurring = tag_counts(
        [document for file in files for document in read(registry.task("tagging"), file, input_format).documents]
    )
    counts = occurring or dict.fromkeys(projection.table.entries, 0)
    report = coverage(projection.table, counts, projection.pivot, projection.described)
    open_ = {tag: number for tag, number in report.ambiguous.items() if tag in counts}
    expressed = {projection.canonical_tag(tag) for tag in projection.table.entries_by_tag(projection.pivot)}
    unexpressed = sorted(
        projection.canonical_tag(tag) for tag in projection.pivot if projection.canonical_tag(tag) not in expressed
    )
    tags = {
        "outside the pivot": report.outside,
        "with several tags": [f"{tag} {open_[tag]}" for tag in sorted(open_)],
        "not expressed": unexpressed,
    }
    if files:
        tags["without an entry"] = [f"{tag} {number}×" for tag, number in report.missing.items()]
        tags["never used"] = report.unused
    sizes = {"entries": len(projection.table.entries), "tags of the pivot": len(projection.pivot)}
    if json:
        put_json({"schema": 1, "table": table, **sizes, **tags}, None)
        return
    rows = [
        ("what", "number", "tags"),
        *((what, str(size) if size else "–", "") for what, size in sizes.items()),
        *((what, str(len(names)), _first_names(names)) for what, names in tags.items()),
    ]
    put_text("\n".join(line.rstrip() for line in align_columns(rows)) + "\n", None)


PARAMETERS = """
Parameters
----------
table
    The table: a TSV or TOML file.
tagset
    The pivot: upos, grace, or the path of a description.
output
    A file for the table; standard output otherwise.
"""


def _add_rewriting_command(name: str, summary: str, changed: Callable[[Projection], str]) -> None:
    """Add a command that writes a table changed."""

    def command(table: File, /, *, tagset: File | None = None, output: OutputFile = None) -> None:
        put_text(changed(_projection(table, tagset)), output)

    command.__doc__ = f"{summary}\n{PARAMETERS}"
    app.command(command, name=name)


def _inverse(projection: Projection) -> str:
    from aune.tasks.tagging.grace.correspondence_table import format_table

    assert projection.table is not None
    return format_table(projection.table.entries_by_tag(projection.pivot, projection.canonical_tag))


def _minimal(projection: Projection) -> str:
    from aune.tasks.tagging.grace.correspondence_table import format_table, minimise_table

    assert projection.table is not None
    return format_table(
        minimise_table(projection.table, projection.pivot, projection.canonical_tag), projection.table.pivot_tags
    )


_add_rewriting_command(
    "invert", "Write the inverse table: for each tag of the pivot, the entries that may be it.", _inverse
)
_add_rewriting_command(
    "minimise",
    "Write the shortest table that says the same: patterns for tags with a common beginning, no entry twice.",
    _minimal,
)


@app.command
def project(
    table: File,
    file: File,
    target: FileOrStdin,
    /,
    *,
    tagset: File | None = None,
    unlisted: Unlisted = "drop",
    input_format: str | None = None,
    output_format: Annotated[str | None, Parameter(name=["--to"])] = None,
) -> None:
    """Write a tagger's output in the tags of the pivot, as the evaluation sees it.

    Parameters
    ----------
    table
        The table: a TSV or TOML file.
    file
        The tagger's output.
    target
        The file to write, or - for standard output. Its name decides the format unless --to does.
    tagset
        The pivot: upos, grace, or the path of a description.
    unlisted
        What becomes of tags without an entry: left out (drop) or kept as they are (keep).
    input_format
        The format of the file, when it should not be recognised from the content.
    output_format
        The format to write; one word per line unless the name of the target says otherwise.
    """
    from aune import STDIN
    from aune.contract import registry
    from aune.reading.corpus import read
    from aune.tasks.tagging.grace.readings import project_document

    projection = _projection(table, tagset, unlisted)
    corpus = read(registry.task("tagging"), file, input_format)
    warn(corpus.warnings)
    documents = [project_document(document, projection) for document in corpus.documents]
    form = writable_format("tagging", target, output_format, "tsv")
    assert form.write is not None
    put_text("".join(form.write(documents)), None if target in ("-", STDIN) else Path(target))


def _projection(table: str, tagset: str | None, unlisted: str = "drop") -> Projection:
    from aune.tasks.tagging.grace.correspondence_table import read_table as table_in
    from aune.tasks.tagging.grace.readings import projection_of
    from aune.tasks.tagging.grace.tagset import tagset as tagset_named

    return projection_of(table_in(table), unlisted, tagset_named(tagset) if tagset else None)


def _first_names(names: list[str], most: int = 8) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")
