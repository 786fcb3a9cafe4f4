"""Positions of tables, keys and entries in a TOML file, which the TOML parser does not report."""

from __future__ import annotations

import re
from typing import TypeAlias

KeyPath: TypeAlias = tuple[str | int, ...]
"""Keys of tables and indices of array entries, outermost first."""
Position: TypeAlias = tuple[int, int]
"""Line and column, from 1."""

KEY = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|'[^']*')"""
DOTTED = rf"{KEY}(?:[ \t]*\.[ \t]*{KEY})*"
HEADER = re.compile(rf"[ \t]*(\[\[?)[ \t]*({DOTTED})[ \t]*\]\]?")
ASSIGNMENT = re.compile(rf"[ \t]*({DOTTED})[ \t]*=[ \t]*")
TOKEN = re.compile(r'"""|\'\'\'|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|#[^\n]*|[\[\]{},\n]|[^"\'#\[\]{},\n]+')


def find_positions(text: str) -> dict[KeyPath, Position]:
    r"""The position of every table, key and array entry in a valid TOML text.

    >>> found = find_positions('a = 1\n[[b]]\nc = ["x",\n "y"]\n[[b]]\nd = {e = 2}\n')
    >>> found["a",], found["b", 1], found["b", 0, "c", 1], found["b", 1, "d", "e"]
    ((1, 5), (5, 1), (4, 2), (6, 10))
    """
    return _TomlScanner(text).positions


class _TomlScanner:
    """Parses the text once: statements at the top level, and the values in them."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.positions: dict[KeyPath, Position] = {(): (1, 1)}
        self.counts: dict[KeyPath, int] = {}
        self.table: KeyPath = ()
        while self.at < len(text):
            self._statement()

    def _position(self, offset: int) -> Position:
        before = self.text.rfind("\n", 0, offset)
        return self.text.count("\n", 0, offset) + 1, offset - before

    def _statement(self) -> None:
        if header := HEADER.match(self.text, self.at):
            name = self._table_path(_keys(header[2]))
            if header[1] == "[[":
                number = self.counts.get(name, 0)
                self.counts[name] = number + 1
                self.positions.setdefault(name, self._position(header.start(1)))
                name = (*name, number)
            self.positions.setdefault(name, self._position(header.start(1)))
            self.table, self.at = name, header.end()
        elif assigned := ASSIGNMENT.match(self.text, self.at):
            self.at = assigned.end()
            self._value((*self.table, *_keys(assigned[1])))
        else:
            end = self.text.find("\n", self.at)
            self.at = len(self.text) if end < 0 else end + 1

    def _table_path(self, name: KeyPath) -> KeyPath:
        """The key path of a table, with the index of the array entry that contains it."""
        path: KeyPath = ()
        for key in name[:-1]:
            path = (*path, key)
            if path in self.counts:
                path = (*path, self.counts[path] - 1)
        return (*path, name[-1])

    def _value(self, path: KeyPath) -> None:
        self.positions[path] = self._position(self.at)
        if self.text.startswith(('"""', "'''"), self.at):
            quotes = self.text[self.at : self.at + 3]
            end = self.text.find(quotes, self.at + 3)
            self.at = len(self.text) if end < 0 else end + 3
        elif self.text.startswith("[", self.at):
            self._entries(path, "]")
        elif self.text.startswith("{", self.at):
            self._entries(path, "}")
        elif token := TOKEN.match(self.text, self.at):
            self.at = token.end()

    def _entries(self, path: KeyPath, closing: str) -> None:
        """The entries of an array or of an inline table."""
        self.at += 1
        number = 0
        while self.at < len(self.text) and not self.text.startswith(closing, self.at):
            if self.text[self.at] in ", \t\r\n":
                self.at += 1
            elif self.text[self.at] == "#":
                self.at = (self.text.find("\n", self.at) + 1) or len(self.text)
            elif closing == "}" and (assigned := ASSIGNMENT.match(self.text, self.at)):
                self.at = assigned.end()
                self._value((*path, *_keys(assigned[1])))
            else:
                before = self.at
                self._value((*path, number))
                number += 1
                self.at = max(self.at, before + 1)
        self.at += 1


def _keys(dotted: str) -> KeyPath:
    return tuple(key[1:-1] if key[0] in "\"'" else key for key in re.findall(KEY, dotted))
