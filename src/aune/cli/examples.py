"""`aune examples`: the example files of the documentation, which are part of aune."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from aune.cli._output import put_text
from aune.errors import make_visible

GROUP = "This tool"
PACKAGE = Path(__file__).resolve().parent.parent
HOMES = (PACKAGE / "examples", PACKAGE.parent.parent / "examples")
"""Where the examples are: in an installation, and in a checkout."""


def examples(target: Path = Path("examples"), /) -> None:
    """Write the example files that the README and the guides use.

    aune examples

    Then commands of the documentation work as printed: aune score coref examples/coref/key.conll …

    Parameters
    ----------
    target
        The folder to write. Files that are there already are left alone if they are the same; a different file of the
        same name is refused, and then nothing is written.
    """
    files = write_examples(target)
    lines = [f"{len(files)} files in {target}:", *(f"  {line}" for line in _summary(target, files))]
    put_text("".join(f"{make_visible(line)}\n" for line in lines), None)


def write_examples(target: Path) -> list[Path]:
    """Write the examples into a folder, all of them or none; returns their paths there."""
    from aune.errors import UsageError
    from aune.files import file_transaction

    sources = dict(example_files())
    places = {target / name: path.read_bytes() for name, path in sources.items()}
    for place, content in places.items():
        if place.exists() and (not place.is_file() or place.read_bytes() != content):
            raise UsageError(f"{place}: is there already and is no example of this version: name another folder")
    folders = sorted({folder for place in places for folder in place.parents if not folder.exists()})
    try:
        for folder in folders:
            folder.mkdir(exist_ok=True)
        with file_transaction() as files:
            for place, content in places.items():
                if not place.exists():
                    files.write(place, content)
    except BaseException:
        for folder in reversed(folders):
            with suppress(OSError):  # it was not made, or somebody else writes there
                folder.rmdir()
        raise
    return list(places)


def example_files() -> Iterator[tuple[str, Path]]:
    """Each example by its name below the folder, in order."""
    from aune.errors import UsageError

    home = next((home for home in HOMES if home.is_dir()), None)
    if home is None:
        raise UsageError("this installation has no examples: install aune from its wheel or source distribution")
    for path in sorted(home.rglob("*")):
        if path.is_file() and not path.name.startswith(".") and "__pycache__" not in path.parts:
            yield path.relative_to(home).as_posix(), path


def _summary(target: Path, files: list[Path]) -> Iterator[str]:
    """A line for each subject: its folder and how many files are in it."""
    subjects: dict[str, int] = {}
    for path in files:
        subject = path.relative_to(target).parts[0]
        subjects[subject] = subjects.get(subject, 0) + 1
    return (f"{target / subject}: {number} file{'' if number == 1 else 's'}" for subject, number in subjects.items())
