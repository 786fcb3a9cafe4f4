"""Tagging: 500,000 words of CoNLL-U with 2 % tokenisation differences, and realignment of texts that differ.

The peer is `udtools`, the scorer of Universal Dependencies on PyPI, which grew out of the CoNLL 2018 script and keeps
its alignment and its tag scores (it scores trees as well). The lean script is ours: words, UPOS, XPOS, features and
lemmas alone, with an object per word, to show what leaving the trees out would gain. Reading is included everywhere.
"""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

from benchmarks.harness import in_process, table

WORDS = 500_000
MEASURES = ["ud_words", "upos", "xpos", "feats", "lemmas"]
HERE = "benchmarks.tagging"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        files = list(map(str, generate_corpus(Path(folder), WORDS)))
        print("500,000 words, 2 % tokenisation differences, reading included:")
        table(
            [
                in_process("aune", HERE, "aune_tags", files),
                in_process("aune, GRACE measures too", HERE, "aune_all", files, 1),
                in_process("a lean script, an object per word", HERE, "plain_tags", files, 1),
                in_process("udtools, tags and trees", HERE, "udtools_tags", files, 1),
            ]
        )
    print("1,000,000 characters, one in a thousand differs, realigned:")
    table([in_process("aune", HERE, "aune_realigned", [], 1)])


def generate_corpus(folder: Path, words: int) -> tuple[Path, Path]:
    """A key and a response of invented words: 3 % multiword tokens, 2 % of words cut or joined, 5 % wrong tags."""
    rng = random.Random(1)
    letters = "abcdefghijklmnopqrstuvwxyzéèà"
    lexicon = ["".join(rng.choices(letters, k=rng.randint(1, 9))) for _ in range(30_000)]
    key: list[str] = []
    response: list[str] = []
    done = 0
    while done < words:
        sentence = [rng.choice(lexicon) for _ in range(rng.randint(5, 40))]
        done += len(sentence)
        key += _write_text([(word, _split(word, rng)) for word in sentence], rng, 0.0)
        response += _write_text([(word, _split(word, rng)) for word in _recut(sentence, rng)], rng, 0.05)
    paths = folder / "key.conllu", folder / "response.conllu"
    for path, lines in zip(paths, (key, response), strict=True):
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return paths


def _split(word: str, rng: random.Random) -> list[str]:
    """The words of a multiword token, the same for the same word nearly always."""
    if len(word) > 1 and (ord(word[0]) * 7 + ord(word[-1])) % 33 == 0:
        return ["de", "le" if rng.random() < 0.98 else "les"]
    return []


def _recut(sentence: list[str], rng: random.Random) -> list[str]:
    cut: list[str] = []
    for word in sentence:
        chance = rng.random()
        if chance < 0.01 and len(word) > 1:
            at = rng.randint(1, len(word) - 1)
            cut += [word[:at], word[at:]]
        elif chance < 0.02 and cut:
            cut[-1] += word
        else:
            cut.append(word)
    return cut


def _write_text(tokens: list[tuple[str, list[str]]], rng: random.Random, wrong: float) -> list[str]:
    lines = []
    number = 1
    for token, inside in tokens:
        if inside:
            lines.append(f"{number}-{number + len(inside) - 1}\t{token}" + "\t_" * 8)
        for word in inside or [token]:
            tag = sum(map(ord, word)) % 17 if rng.random() >= wrong else rng.randrange(17)
            upos = f"TAG{tag}"
            feats = f"Gender={'Fem' if tag % 2 else 'Masc'}|Number={'Sing' if tag % 3 else 'Plur'}"
            lines.append(f"{number}\t{word}\t{word}\t{upos}\tx{tag}\t{feats}\t{number - 1}\tdep\t_\t_")
            number += 1
    return [*lines, ""]


def _show_values(values: dict[str, float]) -> str:
    return " ".join(f"{name} {100 * value:.2f}" for name, value in values.items())


def aune_tags(key: str, response: str) -> str:
    import aune

    result = aune.score("tagging", key, response, measures=MEASURES)
    return _show_values({name: result[name].f1 for name in MEASURES})


def aune_all(key: str, response: str) -> str:
    import aune

    result = aune.score("tagging", key, response, measures=[*MEASURES, "precision_decision", "accuracy", "f_measure"])
    return _show_values({"precision": result["precision_decision"].precision})


def udtools_tags(key: str, response: str) -> str:
    from udtools import udeval

    scores = udeval.evaluate(*(udeval.load_conllu_file(path) for path in (key, response)))
    names = dict(zip(MEASURES, ("Words", "UPOS", "XPOS", "UFeats", "Lemmas"), strict=True))
    return _show_values({ours: scores[rival_name].f1 for ours, rival_name in names.items()})


def aune_realigned() -> str:
    import time

    from aune.tasks.tagging.characters import boundaries

    rng = random.Random(2)
    key = "".join(rng.choices("etaoinshrdlu", k=1_000_000))
    changed = [rng.choice(("", "x", letter + "y")) if rng.random() < 0.001 else letter for letter in key]
    started = time.perf_counter()
    places = boundaries(key, "".join(changed))
    return (
        f"{int((places.lowest == places.highest).sum()):,} places, aligning alone {time.perf_counter() - started:.2f} s"
    )


# The same scores with an object per word, as a plain script would have them.


class _Word:
    def __init__(self, start: int, end: int, columns: list[str], multiword: bool) -> None:
        self.start, self.end, self.columns, self.multiword = start, end, columns, multiword
        self.columns[5] = "|".join(sorted(self.columns[5].split("|")))


def _load_file(path: str) -> list[_Word]:
    words: list[_Word] = []
    at, left, inside = 0, 0, (0, 0)
    with Path(path).open(encoding="utf-8") as file:
        for line in file:
            columns = line.rstrip("\n").split("\t")
            if len(columns) != 10:
                continue
            form = columns[1].replace(" ", "")
            if "-" in columns[0]:
                first, last = map(int, columns[0].split("-"))
                left, inside = last - first + 1, (at, at + len(form))
                at += len(form)
            elif left:
                words.append(_Word(*inside, columns, True))
                left -= 1
            else:
                words.append(_Word(at, at + len(form), columns, False))
                at += len(form)
    return words


def plain_tags(key: str, response: str) -> str:
    left, right = _load_file(key), _load_file(response)
    pairs = _word_pairs(left, right)
    total = len(left) + len(right)
    values = {"ud_words": 2 * len(pairs) / total}
    for name, column in zip(MEASURES[1:], (3, 4, 5, 2), strict=True):
        same = 0
        for key_line, response_line in pairs:
            same += key_line.columns[column] == response_line.columns[column] or (
                column == 2 and key_line.columns[2] == "_"
            )
        values[name] = 2 * same / total
    return _show_values(values)


def _word_pairs(left: list[_Word], right: list[_Word]) -> list[tuple[_Word, _Word]]:
    from aune.tasks.tagging.alignment import Word, _pair_words

    numbers: dict[str, int] = {}
    sides = [
        [Word(w.start, w.end, w.multiword, numbers.setdefault(w.columns[1].lower(), len(numbers))) for w in words]
        for words in (left, right)
    ]
    return [(left[i], right[j]) for i, j in _pair_words(*sides)]
