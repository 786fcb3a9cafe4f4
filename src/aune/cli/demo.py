"""`aune demo`: scores the bundled example of every task, and writes a report for each."""

from __future__ import annotations

from pathlib import Path

from aune.cli._output import put_text
from aune.errors import make_visible

GROUP = "This tool"
EXAMPLES = {
    "coref": ("coref", ("key.conll", "recency.conll", "neural.conll")),
    "anaphora": ("anaphora", ("key.tsv", "nearest.tsv", "careful.tsv")),
    "entities": ("entities", ("key.conll", "rules.conll", "tagger.conll")),
    "tagging": ("tagging", ("key.tsv", "rules.tsv", "lexicon.tsv")),
    "speech": ("speech", ("key.jsonl", "north.jsonl", "south.jsonl")),
}
"""For each task its folder, the key, and the responses of two systems."""


def demo(target: Path = Path("aune-demo"), /) -> int:
    """Score an example of every task and write a report for each.

    aune demo

    Every command is printed before it runs, so that it can be copied and changed.

    Parameters
    ----------
    target
        The folder for the example files and the reports.
    """
    import shlex

    from aune.cli import run
    from aune.cli.examples import write_examples

    write_examples(target / "examples")
    reports = []
    for task, (folder, names) in EXAMPLES.items():
        files = [str(target / "examples" / folder / name) for name in names]
        reports.append(target / f"{task}.html")
        for words in (["score", task, *files], ["report", task, *files, "--output", str(reports[-1])]):
            put_text(f"\n$ aune {make_visible(shlex.join(words))}\n", None)
            if code := run(words):
                return code
    put_text("\nThe reports, to open in a browser:\n", None)
    put_text("".join(f"  {make_visible(str(path))}\n" for path in reports), None)
    return 0
