"""Text form of CRAC: texts of the shared task for language models, a document per line, marks behind words.

    Los|[e1 jugadores de|[e2 el|e2] equipo|e1] ganaron ; ellos|[e1] celebraron

Behind the last `|` of a word stand, with commas between them, the mentions of an entity that begin there (`[e1`), end
there (`e1]`) or are that word alone (`[e1]`). Words are what blanks separate; a document is named by the number of its
line. A bracket closes the last mention of its entity that is open. Sentences, and parts of discontinuous mentions, have
no place in it.

>>> from aune.reading.corpus import Source
>>> [document] = read(Source("a.txt", b"Ann|[e1] met the|[e2 her|[e1] friend|e2]"))
>>> document.tokens, document.clusters()
(['Ann', 'met', 'the', 'her', 'friend'], [[(0, 1), (3, 4)], [(2, 5)]])
>>> print("".join(write([document])), end="")
Ann|[e1] met the|[e2 her|[e1] friend|e2]
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from aune.contract.format import EVERY_LINE, Format
from aune.reading.source import Source
from aune.syntax.writing import refuse
from aune.tasks.coref.formats._tokenization import document_words, refuse_crossing, word_spans
from aune.tasks.coref.model import Document, Mention, make_document

MARK = r"(?:\[[A-Za-z]+\d+\]?|[A-Za-z]+\d+\])"
MARKED = re.compile(rf"(\S+?)\|({MARK}(?:,{MARK})*)")
OWN_NAME = re.compile(r"[A-Za-z]+\d+")
SIGN = re.compile(r"(?:^|\s)\S+\|\[[A-Za-z]+\d+(?:\]|,|\s|$)")
WORD = re.compile(r"\S+")


def read(source: Source) -> Iterator[Document]:
    filled = ((line, text) for line, text in source.lines() if text.strip())
    for number, line, text in source.number_records(filled):
        yield _document(source, number, line, text)


def _document(source: Source, number: int, line: int, text: str) -> Document:
    words: list[str] = []
    mentions: list[Mention] = []
    waiting: dict[str, list[tuple[int, int]]] = defaultdict(list)  # the word and the column of those that are open
    for match in WORD.finditer(text):
        marked = MARKED.fullmatch(match[0])
        place, column = len(words), match.start() + 1
        words.append(marked[1] if marked else match[0])
        for mark in marked[2].split(",") if marked else ():
            name = mark.strip("[]")
            if mark.startswith("["):
                waiting[name].append((place, column))
            if mark.endswith("]") and waiting[name]:
                mentions.append(Mention(waiting[name].pop()[0], place + 1, name, line))
            elif mark.endswith("]"):
                source.add_problem(
                    "mention.unopened", line, column, found=f"'{mark}' where no mention of {name} is open",
                    expected=f"'[{name}' before it", remedies=["open the mention, or remove the mark"],
                )  # fmt: skip
    for name, places in waiting.items():
        for _, column in places:
            source.add_problem(
                "mention.unclosed", line, column, found=f"'[{name}' that is never closed",
                expected=f"'{name}]' in the same document", remedies=["close the mention"],
            )  # fmt: skip
    return make_document(str(number), mentions, tokens=words, path=source.name, line=line)


def sniff(head: str) -> bool:
    return not head.lstrip().startswith(("{", "[", "<", "#")) and SIGN.search(head) is not None


def write(documents: Iterable[Document]) -> Iterator[str]:
    for document in documents:
        words = document_words(document, "crac_text")
        owner = f"document {document.id!r}"
        for word in words:
            if word.split() != [word] or MARKED.fullmatch(word):
                refuse("crac_text", f"the word {word!r}", owner, instead="jsonlines")
        if not words:
            refuse("crac_text", "a text without words", owner, instead="jsonlines")
        spans = word_spans(document)
        chains = document.chains.tolist()
        refuse_crossing(
            document, ((*span, chain) for span, chain in zip(spans, chains, strict=True)), "crac_text"
        )  # fmt: skip
        yield " ".join(_marked_words(words, spans, [_names(document)[chain] for chain in chains])) + "\n"


def _names(document: Document) -> list[str]:
    """Names for the chains: the file's own, or e1, e2… when some of them cannot be written."""
    labels = list(document.labels or ())
    if len(set(labels)) == document.chain_count and all(OWN_NAME.fullmatch(name) for name in labels):
        return labels
    return [f"e{number}" for number in range(1, document.chain_count + 1)]


def _marked_words(words: list[str], spans: list[tuple[int, int]], names: list[str]) -> Iterator[str]:
    """The words with their marks: those that open, the longest first, before those that close."""
    opening: dict[int, list[tuple[int, str]]] = defaultdict(list)
    closing: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for (start, end), name in zip(spans, names, strict=True):
        opening[start].append((-end, f"[{name}]" if end - start == 1 else f"[{name}"))
        if end - start > 1:
            closing[end - 1].append((-start, f"{name}]"))
    for place, word in enumerate(words):
        marks = [mark for _, mark in [*sorted(opening[place]), *sorted(closing[place])]]
        yield f"{word}|{','.join(marks)}" if marks else word


FORMAT = Format(
    read, sniff, write, carries=frozenset(("tokens", "singletons", "spans")), suffixes=(".crac",), boundaries=EVERY_LINE
)
