"""One piece of a file damaged: by noise, or by what the file itself is made of (its cells, numbers, values of JSON)."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Sequence
from typing import Any

SIGNS = [
    b"\t", b"\n", b"\r\n", b"\r\r\n", b" ", b"(", b")", b"|", b"-", b"_", b"{", b"}", b"[", b"]", b"<", b">", b"/",
    b'"', b":", b";", b",", b"=", b"#", b"\\", b"*", b"@", b"0", b"-1", b"900000000", b"9" * 30, b"1e999", b"NaN",
    b"1.1", b"1-2",
    b"\x00", b"\xff", b"\xe2\x80\xa8", b"\xc2\xa0", b"\xef\xbb\xbf", b"null", b"true", b'"\\ud800"',
    b"&#0;", b"%FF", b"# newdoc id = x\n", b"T1\tA 0 4\tx\n", b"<DOC>", b"</DOC>", b"O", b"B-X", b"I-X", b"(1", b"1)",
    b'{"id": "a"}',
    b"\r", b"\x0b", b"\x0c", b"\x1c", b"\x1d", b"\x85", b"\xc2\x85", b"\xe2\x80\xa9", b"\xed\xa0\x80", b"\xcc\x81",
    b"\xe2\x80\x8d", b"\xe2\x80\x8b", b"\xe3\x80\x80", b"\xc2\xad", b"\xd9\xa3", b"\xc2\xb2", b"\xf0\x9f\x98\x80",
    b"\xe2\x80\xae", b"&amp;", b"&lt;", b"%20", b"+1", b"01", b"1_0", b"''", b"``", b"--", b"..", b"\\n", b"\\u0000",
]  # fmt: skip
SEPARATORS = re.compile(rb"([\t\n ,|;:=\"<>()\[\]{}/_-]+)")
CELLS = re.compile(rb"([\t\n])")
NUMBER = re.compile(rb"\d+")
LINE_ENDS = (b"\r\n", b"\r", b"\r\r\n")
PLAIN: list[Any] = [
    None, True, False, 0, 1, -1, 2, 1.0, 1.5, 1e308, 10**30, "", " ", "x", "1", [], {}, [[]], [0], [None], {"id": 1},
    "\ud800", "a\nb", "a\tb", "\u2028",
]  # fmt: skip

Exchange = Callable[[list[bytes], int, int], None]
Damage = Callable[[random.Random, bytes, Sequence[bytes]], bytes]


def mutate_data(generator: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """The same with one piece damaged; `others` are files of the task."""
    return generator.choice(DAMAGE)(generator, data, others)


def _range(generator: random.Random, data: bytes) -> tuple[int, int]:
    start = generator.randint(0, len(data))
    return start, min(len(data), start + generator.choice((0, 1, 2, 8, 40)))


# By noise.


def _taken_out(generator: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    start, end = _range(generator, data)
    return data[:start] + data[end:]


def _cut_off(generator: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    return data[: generator.randint(0, len(data))]


def _repeat_items(generator: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    start, end = _range(generator, data)
    return data[:start] + data[start:end] * generator.choice((2, 3, 50, 2000)) + data[end:]


def _with_a_piece_of_another(generator: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    start, end = _range(generator, data)
    other = generator.choice(others)
    place = generator.randint(0, len(other))
    return data[:start] + other[place : place + generator.choice((1, 10, 100))] + data[end:]


def _with_signs(generator: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    start, end = _range(generator, data)
    return data[:start] + generator.choice(SIGNS) * generator.choice((1, 1, 1, 1, 3, 3000)) + data[end:]


# By lines.


def _lines_shuffled(generator: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    lines = data.splitlines(keepends=True)
    generator.shuffle(lines)
    return b"".join(lines)


def _lines_repeated(generator: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    lines = data.splitlines(keepends=True)
    place = generator.randint(0, len(lines))
    return b"".join(lines[:place] + lines[place : place + 2] * generator.choice((2, 20)) + lines[place:])


def _line_moved(generator: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    lines = data.splitlines(keepends=True)
    if lines:
        line = lines.pop(generator.randrange(len(lines)))
        if generator.random() < 0.5:
            lines.insert(generator.randint(0, len(lines)), line)
    return b"".join(lines)


def _join_files(generator: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """The beginning of one file and the end of another, or both whole."""
    lines, more = data.splitlines(keepends=True), generator.choice(others).splitlines(keepends=True)
    remaining, added = generator.choice((len(lines), generator.randint(0, len(lines)))), generator.randint(0, len(more))
    return b"".join(lines[:remaining] + more[generator.choice((0, added)) :])


def _with_other_line_ends(generator: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    return data.replace(b"\n", generator.choice(LINE_ENDS), generator.choice((1, 3, -1)))


def _with_a_mark(generator: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    return generator.choice((b"\xef\xbb\xbf", b"\n", b"\n\n", b" ", b"#\n", b"# x = y\n")) + data


# By what the file is made of.


def _pieces_exchanged(
    generator: random.Random,
    data: bytes,
    separators: re.Pattern[bytes],
    change: Callable[[list[bytes], int, int], None],
) -> bytes:
    pieces = separators.split(data)
    if len(pieces) > 2:
        first, second = (2 * generator.randrange((len(pieces) + 1) // 2) for _ in range(2))
        change(pieces, first, second)
    return b"".join(pieces)


def _swap(pieces: list[bytes], first: int, second: int) -> None:
    pieces[first], pieces[second] = pieces[second], pieces[first]


def _copy(pieces: list[bytes], first: int, second: int) -> None:
    pieces[first] = pieces[second]


def _empty(pieces: list[bytes], first: int, second: int) -> None:
    pieces[first] = b""


def _rename(pieces: list[bytes], first: int, second: int) -> None:
    """Everywhere: what was two names is one."""
    old, new = pieces[first], pieces[second]
    pieces[:] = [new if piece == old else piece for piece in pieces]


def _append(pieces: list[bytes], first: int, second: int) -> None:
    pieces[first] += pieces[second]


def _exchange_pieces(generator: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    separators = generator.choice((SEPARATORS, CELLS))
    return _pieces_exchanged(generator, data, separators, generator.choice((_swap, _copy, _empty, _rename, _append)))


def _separator_exchanged(generator: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    pieces = SEPARATORS.split(data)
    if len(pieces) > 3:
        first, second = (2 * generator.randrange(len(pieces) // 2) + 1 for _ in range(2))
        generator.choice((_swap, _copy, _empty))(pieces, first, second)
    return b"".join(pieces)


def _number_changed(generator: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    places = [match.span() for match in NUMBER.finditer(data)]
    if not places:
        return data
    start, end = generator.choice(places)
    number = int(data[start:end][:4000]) + generator.choice((-1, 1, 1, -2, 2, 10))
    return data[:start] + str(number).encode() + data[end:]


def _json_changed(generator: random.Random, data: bytes, others: Sequence[bytes]) -> bytes:
    """A value of JSON that is another, elsewhere, of another type, missing or twice; other files by their cells."""
    lines = data.splitlines(keepends=True)
    numbers = [number for number, line in enumerate(lines) if line.lstrip()[:1] in (b"{", b"[")]
    whole = data.lstrip()[:1] in (b"{", b"[")
    number = generator.choice(numbers) if numbers else 0
    for text in (data, lines[number] if numbers else b""):
        try:
            value = json.loads(text) if whole or text is not data else None
            if isinstance(value, dict | list) and value:
                _change(generator, value)
                line = json.dumps(value, ensure_ascii=generator.random() < 0.5).encode(errors="surrogatepass") + b"\n"
                return b"".join([*lines[:number], line, *lines[number + 1 :]]) if text is not data else line
        except (ValueError, RecursionError):
            continue
    return _exchange_pieces(generator, data, others)


def _change(generator: random.Random, value: Any) -> None:
    """Something inside a value becomes another."""
    places = list(_places(value))
    home, key = generator.choice(places)
    place, other = generator.choice(places)
    match generator.randint(0, 6):
        case 0:
            home[key] = generator.choice(PLAIN)
        case 1:
            home[key] = json.loads(json.dumps(place[other]))
        case 2 if isinstance(home, list):
            home.insert(generator.randint(0, len(home)), json.loads(json.dumps(home[key])))
        case 2:
            home[str(other)] = home.pop(key)
        case 3:
            del home[key]
        case 4 if isinstance(home, list):
            generator.shuffle(home)
        case 5 if isinstance(home[key], int | float):
            home[key] += generator.choice((-1, 1, 1, 0.5))
        case 5 | 6:
            home[key] = str(home[key]) if generator.random() < 0.5 else [home[key]]
        case _:
            home[key] = generator.choice(PLAIN)


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Where values stand in a value: the dictionary or list, and the name or number there."""
    here = list(value.items()) if isinstance(value, dict) else list(enumerate(value))
    result = [(value, key) for key, _ in here]
    for _, inner in here:
        if isinstance(inner, dict | list):
            result += _places(inner)
    return result


DAMAGE: Sequence[Damage] = (
    _taken_out, _cut_off, _repeat_items, _with_a_piece_of_another, _with_signs, _with_signs, _with_signs,
    _lines_shuffled, _lines_repeated, _line_moved, _join_files, _with_other_line_ends, _with_a_mark,
    _exchange_pieces, _exchange_pieces, _exchange_pieces,
    _separator_exchanged, _number_changed, _number_changed, _json_changed, _json_changed, _json_changed,
)  # fmt: skip
