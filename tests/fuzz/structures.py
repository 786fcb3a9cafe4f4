"""Damage that keeps the shape of a file: another kind of value in any place of JSON or TOML, a key twice, and archives
that say of their files what is not so.
"""

from __future__ import annotations

import io
import json
import random
import struct
import tarfile
import zipfile
from contextlib import suppress
from typing import Any

VALUES: list[Any] = [
    None, True, False, 0, -1, 1, -0.0, 0.5, 1e308, 2**31, 2**63, 2**64, -(2**63), 10**400, "", " ", "x", "0", "\0",
    "\ud800", "\u202e", "é" * 300, "x" * 50_000, "9" * 5_000, "../../x", "/etc/passwd", "NaN", "2026-13-45", [], {},
    [[]], [None], [0, "x"], {"": None}, {"x": {"x": []}}, ["x"] * 2_000, [1.5] * 3, "2026-01-01T00:00:00Z",
    float("nan"), float("inf"), float("-inf"),
]  # fmt: skip
LITERALS = [
    "0", "-0", "-0.0", "nan", "-inf", "1e400", "0x" + "f" * 40, "9" * 400, "true", '""', '"x"', "''", '"\\u0000"',
    '"\\ud800"', "[]", "[[]]", '["x", 1]', "{}", '{x = 1, "" = 2}', "1979-05-27", "0000-00-00", "9999-12-31T23:59:60Z",
    "25:61:61", '"""\nx\n"""', '"' + "x" * 50_000 + '"', "[" + "1," * 5_000 + "]", '"../../x"', '"/etc/passwd"',
    '"2026-03-28 23:59 AoE"', '"2026-13-28 23:59 AoE"', '"2026-03-28 23:59 Mars/Base"', '"0001-01-01 00:00 AoE"',
    '"9999-12-31 23:59 AoE"', "inf", "1", "-1", "0.5", "[-1]",
]  # fmt: skip


def restructure_file(generator: random.Random, data: bytes, suffix: str) -> bytes:
    """A file of JSON, of lines of JSON or of TOML with another value somewhere; others as they are."""
    if suffix == ".toml":
        return _with_another_literal(generator, data)
    if suffix == ".json":
        return _with_another_value(generator, data)
    if suffix == ".jsonl":
        lines = data.splitlines(keepends=True)
        place = generator.randrange(len(lines)) if lines else 0
        return b"".join([*lines[:place], *(_with_another_value(generator, line) for line in lines[place : place + 1]),
                         *lines[place + 1 :]])  # fmt: skip
    return data


def _with_another_value(generator: random.Random, data: bytes) -> bytes:
    try:
        root = [json.loads(data)]
    except (ValueError, RecursionError):
        return data
    holders = [holder for holder in _holders(root) if holder]
    holder = generator.choice(holders)
    places = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
    place, value = generator.choice(places), generator.choice(VALUES)
    match generator.randrange(6):
        case 0 if isinstance(holder, dict):
            del holder[place]
        case 1 if isinstance(holder, dict):
            holder[generator.choice(["", "x", "\0", "__class__", "x" * 1_000])] = value
        case 2 if isinstance(holder, dict):  # the same key twice: the last one counts, or none does
            text = json.dumps(holder, ensure_ascii=True)
            twice = f"{text[:-1]}, {json.dumps(place)}: {json.dumps(value)}}}"
            return json.dumps(root[0]).replace(text, twice, 1).encode() + b"\n"
        case 3:
            holder[place] = _alike(generator, holder[place])
        case _:
            holder[place] = value
    ascii_only = bool(generator.randrange(2))
    with suppress(ValueError, RecursionError):
        text = json.dumps(root[0], ensure_ascii=ascii_only, separators=(",", ":"), sort_keys=True)
        return text.encode(errors="surrogatepass") + b"\n"
    return data


def _alike(generator: random.Random, value: Any) -> Any:
    """A value of the same kind, but not the same."""
    match value:
        case bool():
            return not value
        case int() | float():
            return generator.choice([-value, value + 1, value * 10**9, 0])
        case str():
            return generator.choice([value[:-1], value + "x", value.upper(), value[::-1], value * 2, value + "\n", ""])
        case list():
            return generator.choice([value[1:], value * 2, [*reversed(value)], [value]])
        case dict():
            return dict(list(value.items())[1:])
    return []


def _holders(value: Any) -> list[Any]:
    """Every list and every object in plain data."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [
        *([value] if isinstance(value, dict | list) else ()),
        *(holder for part in inside for holder in _holders(part)),
    ]


def _with_another_literal(generator: random.Random, data: bytes) -> bytes:
    lines = data.decode(errors="replace").splitlines(keepends=True)
    places = [place for place, line in enumerate(lines) if "=" in line and not line.lstrip().startswith("#")]
    if not places:
        return data
    place = generator.choice(places)
    name, _, value = lines[place].partition("=")
    literal = generator.choice(LITERALS)
    lines[place] = generator.choice([
        f"{name}= {literal}\n", f"{name}= {literal}\n", f"{name}= {literal}\n", f"{name}= [{value.strip()}]\n",
        f"{name}={value}{name}= {literal}\n", f"{name.strip()}x = {literal}\n{lines[place]}",
        f'"" = {literal}\n{lines[place]}', f"[{name.strip()}]\nx = {literal}\n", "",
    ])  # fmt: skip
    return "".join(lines).encode()


# Archives.

PLAN = {
    "files": [
        {"name": "a.conll", "data": "w O\n", "times": 50},
        {"name": "b/c.conll", "data": "x B-PER\n", "times": 9},
    ],
    "lies": {},
}
NAMES = [
    "a.conll", "A.conll", "./a.conll", "b", "b/", "b/c.conll/d", "../x", "/etc/passwd", "a/../../x", "C:\\x",
    "\\\\h\\x", "a\0b", "", ".", "..", "/", "x" * 300, "é.conll", "e\u0301.conll", "\u202ex", "a\nb", "CON", "a ",
    "a.", "-", "~", "😀", "x/" * 90, ".hidden", "__MACOSX/x",
]  # fmt: skip
KINDS = ["file", "link", "hard", "device", "fifo", "folder"]
FLAGS = {"encrypted": 0x1, "patched": 0x20, "strong": 0x40, "utf-8": 0x800, "descriptor": 0x8}


def replan_archive(generator: random.Random, data: bytes) -> bytes:
    """The plan of an archive with other files, or other lies."""
    plan = json.loads(data)
    for _ in range(generator.randint(1, 4)):
        file = generator.choice(plan["files"]) if plan["files"] else {}
        match generator.randrange(9):
            case 0:
                file["name"] = generator.choice(NAMES)
            case 1:
                file["kind"] = generator.choice(KINDS)
            case 2:
                file["times"] = generator.choice([0, 1, 1_000, 400_000])
            case 3:
                plan["files"].append({"name": generator.choice(NAMES), "data": "w O\n", "times": 3})
            case 4:
                plan["many"] = generator.choice([100, 3_000, 12_000])
            case 5:
                plan["lies"][generator.choice(["size", "packed", "zip64", "method", "offset"])] = generator.choice(
                    [0, 1, 7, 14, 99, 2**31, 2**32 - 1]
                )
            case 6:
                plan["flag"] = generator.choice(list(FLAGS))
            case 7:
                plan["inside"] = generator.randint(1, 3)
            case _:
                plan["method"] = generator.choice([0, 8, 12])
    return json.dumps(plan).encode()


def make_zip(plan: dict[str, Any]) -> bytes:
    """A zip archive by a plan, with its lies."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", plan.get("method", 8)) as archive:
        for file in _files(plan):
            entry = zipfile.ZipInfo("x")
            entry.filename = file["name"]
            entry.compress_type = plan.get("method", 8)
            modes = {"link": 0o120777, "device": 0o020666, "fifo": 0o010666, "folder": 0o040755}
            entry.external_attr = modes.get(file.get("kind", ""), 0o100644) << 16
            with suppress(ValueError, UnicodeError):
                archive.writestr(entry, file["data"].encode() * file["times"])
    data = bytearray(made.getvalue())
    for number in range(plan.get("inside", 0)):
        data = bytearray(_around(bytes(data), number))
    return bytes(_lying(data, plan))


def _around(data: bytes, number: int) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr(f"{number}.zip", data)
    return made.getvalue()


def _lying(data: bytearray, plan: dict[str, Any]) -> bytearray:
    """The headers of a zip archive say what is not so."""
    place = data.find(b"PK\x01\x02")
    if place < 0:
        return data
    if "flag" in plan:
        data[place + 8 : place + 10] = struct.pack("<H", FLAGS[plan["flag"]])
    lies = {"size": (24, "<I"), "packed": (20, "<I"), "offset": (42, "<I"), "method": (10, "<H")}
    for name, value in plan["lies"].items():
        if name in lies:
            start, form = lies[name]
            size = struct.calcsize(form)
            data[place + start : place + start + size] = value.to_bytes(8, "little")[:size]
        else:  # sizes that only a field of its own could tell, which is not there
            data[place + 20 : place + 28] = b"\xff" * 8
    return data


def make_tar(plan: dict[str, Any]) -> bytes:
    """A tar archive by a plan."""
    made = io.BytesIO()
    kinds = {
        "link": tarfile.SYMTYPE, "hard": tarfile.LNKTYPE, "device": tarfile.CHRTYPE, "fifo": tarfile.FIFOTYPE,
        "folder": tarfile.DIRTYPE,
    }  # fmt: skip
    with tarfile.open(fileobj=made, mode="w", format=plan.get("method", 0) % 3) as archive:
        for file in _files(plan):
            entry = tarfile.TarInfo(file["name"])
            entry.type = kinds.get(file.get("kind", ""), tarfile.REGTYPE)
            entry.linkname = "/etc/passwd"
            data = file["data"].encode() * file["times"]
            entry.size = plan["lies"].get("size", len(data)) if entry.isreg() else 0
            with suppress(ValueError, UnicodeError, OSError, struct.error):
                archive.addfile(entry, io.BytesIO(data) if entry.size == len(data) else None)
    return made.getvalue()


def _files(plan: dict[str, Any]) -> list[dict[str, Any]]:
    more = [{"name": f"{number}.conll", "data": "w O\n", "times": 1} for number in range(plan.get("many", 0))]
    return [*plan["files"], *more]
