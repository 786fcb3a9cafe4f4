"""What was made last is remembered as long as it is not too much, by its bytes: one text can be as large as many."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, NamedTuple, TypeVar

Value = TypeVar("Value")


class _Kept(NamedTuple, Generic[Value]):
    """Something, and its bytes as it is stored: in memory it takes several times as many."""

    value: Value
    size: int


class Remembered(Generic[Value]):
    """The values that were used last.

    >>> found = Remembered[str](10)
    >>> for name in ("one", "two", "three", "two"):
    ...     found.put(name, name.upper(), 4)
    >>> found.get("one"), found.get("two"), found.get("three")
    (None, 'TWO', 'THREE')
    """

    def __init__(self, most: int) -> None:
        self._most, self._held = most, 0
        self._kept: OrderedDict[Hashable, _Kept[Value]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, name: Hashable) -> Value | None:
        with self._lock:
            if name not in self._kept:
                return None
            self._kept.move_to_end(name)
            return self._kept[name].value

    def put(self, name: Hashable, value: Value, size: int) -> None:
        """Remember a value; the one that was not used for longest is forgotten first."""
        with self._lock:
            if name in self._kept:
                self._held -= self._kept.pop(name).size
            self._kept[name] = _Kept(value, size)
            self._held += size
            while self._held > self._most:
                self._held -= self._kept.popitem(last=False)[1].size
