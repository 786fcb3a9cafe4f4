"""A cache of recently used values, limited by bytes rather than by number, since texts differ greatly in size."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, NamedTuple, TypeVar

Value = TypeVar("Value")


class _Entry(NamedTuple, Generic[Value]):
    """A value, and its size in bytes as stored; in memory it takes several times as much."""

    value: Value
    size: int


class ByteCache(Generic[Value]):
    """A cache of the values that were used last.

    >>> found = ByteCache[str](10)
    >>> for name in ("one", "two", "three", "two"):
    ...     found.add(name, name.upper(), 4)
    >>> found.get("one"), found.get("two"), found.get("three")
    (None, 'TWO', 'THREE')
    """

    def __init__(self, max_size: int) -> None:
        self._max_size, self._size = max_size, 0
        self._entries: OrderedDict[Hashable, _Entry[Value]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, name: Hashable) -> Value | None:
        with self._lock:
            if name not in self._entries:
                return None
            self._entries.move_to_end(name)
            return self._entries[name].value

    def discard(self, name: Hashable) -> None:
        """Remove a value, if it is in the cache."""
        with self._lock:
            if name in self._entries:
                self._size -= self._entries.pop(name).size

    def add(self, name: Hashable, value: Value, size: int) -> None:
        """Add a value; the least recently used values are removed first if the cache is full."""
        with self._lock:
            if name in self._entries:
                self._size -= self._entries.pop(name).size
            self._entries[name] = _Entry(value, size)
            self._size += size
            while self._size > self._max_size:
                self._size -= self._entries.popitem(last=False)[1].size
