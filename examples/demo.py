"""What `make demo` does: scores the bundled example of every task, and writes a report for each."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from aune.cli import run

EXAMPLES = {
    "coref": "examples/coref/key.conll examples/coref/recency.conll examples/coref/neural.conll",
    "anaphora": "examples/anaphora/key.tsv examples/anaphora/nearest.tsv examples/anaphora/careful.tsv",
    "entities": "examples/entities/key.conll examples/entities/rules.conll examples/entities/tagger.conll",
    "tagging": "examples/tagging/key.tsv examples/tagging/rules.tsv examples/tagging/lexicon.tsv",
    "speech": "examples/speech/key.jsonl examples/speech/north.jsonl examples/speech/south.jsonl",
}


def main() -> int:
    """Every command is shown before it runs; the reports go to build/demo."""
    folder = Path("build/demo")
    folder.mkdir(parents=True, exist_ok=True)
    for task, files in EXAMPLES.items():
        commands = [f"score {task} {files}", f"report {task} {files} --output {folder / task}.html"]
        for command in commands:
            print(f"\n$ aune {command}", flush=True)
            if code := run(shlex.split(command)):
                return code
    print("\nThe reports, to open in a browser:")
    for task in EXAMPLES:
        print(f"  {folder / task}.html")
    return 0


if __name__ == "__main__":
    sys.exit(main())
