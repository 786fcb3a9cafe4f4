"""A key made again on the annotation page, by keys that are really pressed and counted, or with the mouse.

Nobody knows beforehand what the page will propose. Whoever types here looks at what is selected, and goes on to the
next proposal while it lies before the mention that is to be marked; where the proposals jumped over it, arrows go back.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

SELECTED = """() => {
    const selection = getSelection();
    if (!selection.rangeCount || selection.isCollapsed) return null;
    const rows = [...document.querySelectorAll('.sheet .text')];
    const place = (node, offset) => {
        const row = (node instanceof Element ? node : node.parentElement).closest('.text');
        const before = rows.slice(0, rows.indexOf(row)).reduce((sum, one) => sum + one.textContent.length, 0);
        const range = document.createRange();
        range.selectNodeContents(row);
        range.setEnd(node, offset);
        return before + range.toString().length;
    };
    const range = selection.getRangeAt(0);
    return [place(range.startContainer, range.startOffset), place(range.endContainer, range.endOffset)];
}"""
ENDS = """([start, end]) => {
    const rows = [...document.querySelectorAll('.sheet .text')];
    const place = (point) => {
        let left = point;
        for (const row of rows) {
            if (left >= row.textContent.length) { left -= row.textContent.length; continue; }
            const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
            for (let node = walker.nextNode(); node; node = walker.nextNode()) {
                if (left < node.length) return [node, left];
                left -= node.length;
            }
        }
    };
    const box = (point) => {
        const range = document.createRange();
        const [node, offset] = place(point);
        range.setStart(node, offset);
        range.setEnd(node, offset + 1);
        return range.getBoundingClientRect();
    };
    place(end - 1)[0].parentElement.scrollIntoView({ block: 'center' });
    const [first, last] = [box(start), box(end - 1)];
    const rightwards = getComputedStyle(place(start)[0].parentElement).direction === 'ltr';
    const [from, to] = rightwards ? [first.left + 1, last.right - 1] : [first.right - 1, last.left + 1];
    return [[from, first.top + first.height / 2], [to, last.top + last.height / 2]];
}"""
OFFERED = """() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(
    [...document.querySelectorAll('.choices .choice .number-chip')].map((chip) => chip.textContent)
))))"""
TEXT = "() => fetch(document.querySelector('main').dataset.api).then((answer) => answer.json()).then((one) => one.text)"


class Mention(NamedTuple):
    """Words of a text, and the chain they are in."""

    first: int
    last: int
    """The word after the last."""
    chain: int


class Typist:
    """Somebody who types on the page of a layer, and counts."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.pressed = 0
        tokens = page.evaluate(TEXT)["tokens"]
        self.starts = {start: word for word, start in enumerate(tokens[::2])}
        self.ends = {end: word + 1 for word, end in enumerate(tokens[1::2])}

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
        self.pressed += len(keys)

    def selected(self) -> tuple[int, int] | None:
        """The selected words: the first, and the one after the last."""
        selection = self.page.evaluate(SELECTED)
        return None if selection is None else (self.starts[selection[0]], self.ends[selection[1]])

    def marks(self, mentions: Sequence[Mention]) -> list[int]:
        """Mark mentions in the order of reading; the keys that each took."""
        keys = []
        for mention in mentions:
            before = self.pressed
            self._mark(mention)
            keys.append(self.pressed - before)
        self.press("Escape")
        return keys

    def _mark(self, mention: Mention) -> None:
        where = self.selected()
        while where is None or where[0] < mention.first:
            self.press("p")
            moved = self.selected()
            if moved == where:
                break  # nothing more is proposed
            where = moved
        if where is None or where[0] < mention.first:
            self._go(mention.first, where)
        elif where[0] > mention.first:
            self.press(*["ArrowLeft"] * (where[0] - mention.first))
        first, last = self.selected() or (0, 0)
        assert first == mention.first
        longer = mention.last - last
        self.press(*["Shift+ArrowRight" if longer > 0 else "Shift+ArrowLeft"] * abs(longer), "m")

    def _go(self, word: int, where: tuple[int, int] | None) -> None:
        """Word by word to the right."""
        if where is None:
            self.press("ArrowRight")
        while (where := self.selected()) is not None and where[0] < word:
            self.press("ArrowRight")

    def groups(self, mentions: Sequence[Mention]) -> list[int]:
        """Put mentions that are marked into their chains, in the order of reading; the keys that each took."""
        numbers: dict[int, str] = {}
        keys = []
        self.press("Tab")
        for mention in mentions:
            before = self.pressed
            offered = self.page.evaluate(OFFERED)
            if mention.chain not in numbers:
                numbers[mention.chain] = str(len(numbers) + 1)
                self.press("n")
            elif numbers[mention.chain] in offered:
                self.press(str(offered.index(numbers[mention.chain]) + 1))
            else:
                self.press("/", *numbers[mention.chain], "Enter")
            keys.append(self.pressed - before)
        return keys


class Pointer:
    """Somebody who works with the mouse alone."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.tokens = page.evaluate(TEXT)["tokens"]

    def annotates(self, mentions: Sequence[Mention]) -> None:
        """Select the words of each mention and take its chain: from the menu, or opened in the list of chains."""
        numbers: dict[int, str] = {}
        for mention in mentions:
            self.select(mention.first, mention.last)
            if mention.chain not in numbers:
                numbers[mention.chain] = str(len(numbers) + 1)
                self.page.locator(".popover button", has_text="new chain").click()
                continue
            number = numbers[mention.chain]
            offered = self.page.locator(".popover .number-chip").all_inner_texts()
            if number in offered:
                self.page.locator(".popover .number-chip").nth(offered.index(number)).click()
            else:
                row = self.page.locator(".chain-row").filter(
                    has=self.page.get_by_label(f"pick chain {number}", exact=True)
                )
                row.locator(".choice").click()
                self.page.locator(".put-here").click()
                self.page.get_by_label("close the chain").click()

    def ends(self, first: int, last: int) -> tuple[tuple[float, float], tuple[float, float]]:
        """The first and the last pixel of words, `last` being the word after them."""
        start, end = self.page.evaluate(ENDS, [self.tokens[2 * first], self.tokens[2 * last - 1]])
        return start, end

    def select(self, first: int, last: int, backwards: bool = False) -> None:
        """Drag from the first pixel of words to their last one, or back."""
        start, end = self.ends(first, last)
        self.drag(*((end, start) if backwards else (start, end)))
        self.page.wait_for_selector(".popover:not([hidden])")

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        self.page.mouse.move(*start)
        self.page.mouse.down()
        self.page.mouse.move(*end, steps=3)
        self.page.mouse.up()


def describe_keys(marking: Sequence[int], grouping: Sequence[int]) -> str:
    mean, each = sum(marking) / len(marking), sum(grouping) / len(grouping)
    marks = f"marking takes {median(marking):g} keys in the median (at most 4), {mean:.2f} in the mean"
    return f"{len(marking)} mentions: {marks}; grouping {each:.3f} keys a mention (at most 1.1)"


def beginning(path: Path, words: int) -> str:
    """The sentences of the first document of a CoNLL file, up to so many words."""
    head, *lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    last = next(place for place, line in enumerate(lines) if not line and place > words)
    return "\n".join([head, *lines[:last], "", "#end document", ""])


def mentions_of(conll: str) -> list[tuple[Sequence[str], list[Mention]]]:
    """The words and mentions of each document of a CoNLL file, in the order of reading."""
    documents = []
    for part in re.findall(r"#begin document.*?\n(.*?)#end document", conll, re.DOTALL):
        rows = [line.split() for line in part.splitlines() if line.strip()]
        mentions: list[Mention] = []
        stack: dict[str, list[int]] = {}
        for place, row in enumerate(rows):
            for bracket in row[-1].split("|") if row[-1] != "-" else []:
                chain = bracket.strip("()")
                if bracket.startswith("("):
                    stack.setdefault(chain, []).append(place)
                if bracket.endswith(")"):
                    mentions.append(Mention(stack[chain].pop(), place + 1, int(chain)))
        documents.append(
            ([row[3] for row in rows], sorted(mentions, key=lambda mention: (mention.first, -mention.last)))
        )
    return documents
