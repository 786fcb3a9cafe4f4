from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest

from aune.campaign.ledger.ledger_file import START, BrokenLedgerError, Ledger, parse_entry, read_chain


def writer(path: str, who: int, number: int) -> None:
    ledger = Ledger(Path(path))
    for count in range(number):
        with ledger.writing() as writing:
            writing.append("note", {"who": who, "count": count})


def test_several_processes_write_one_chain(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    processes = [
        multiprocessing.get_context("fork").Process(target=writer, args=(str(path), who, 10)) for who in range(4)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
        assert process.exitcode == 0
    entries = list(read_chain(iter(path.read_bytes().splitlines(keepends=True))))
    assert len(entries) == 40
    for who in range(4):
        assert [entry.details["count"] for entry in entries if entry.details and entry.details["who"] == who] == list(
            range(10)
        )
    assert [entry.time for entry in entries] == sorted(entry.time for entry in entries)


def test_a_torn_last_line_is_removed_and_no_receipt_lost(tmp_path: Path) -> None:
    """Whatever part of a line a process wrote before it died: the entries before it are there, the torn one is not."""
    path = tmp_path / "ledger.jsonl"
    ledger = Ledger(path)
    with ledger.writing() as writing:
        first = writing.append("note", {"a": 1})
        second = writing.append("note", {"b": "é"})
    whole = path.read_bytes()
    size = len(first.line)
    for cut in range(size, len(whole)):
        path.write_bytes(whole[:cut])
        again = Ledger(path)
        assert again.entries() == [first]
        with again.writing() as writing:
            third = writing.append("note", {"c": 3})
        assert Ledger(path).entries() == [first, third]
    assert second.previous == first.hash
    assert first.previous == START


def test_any_changed_byte_of_the_ledger_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    with Ledger(path).writing() as writing:
        for number in range(3):
            writing.append("note", {"number": number, "text": "naïve"})
    whole = path.read_bytes()
    heads = {entry.hash for entry in Ledger(path).entries()}
    for place in range(len(whole) - 1):
        damaged = bytearray(whole)
        damaged[place] ^= 1
        try:
            entries = list(read_chain(iter(bytes(damaged).splitlines(keepends=True))))
        except BrokenLedgerError:
            continue
        assert {entry.hash for entry in entries} != heads, place  # only the last entry can change alone: the head tells
        assert place > whole[:-1].rfind(b"\n")


def test_details_can_be_hidden_and_shown_but_not_exchanged(tmp_path: Path) -> None:
    with Ledger(tmp_path / "ledger.jsonl").writing() as writing:
        entry = writing.append("note", {"name": "Zephyr"})
    hidden = parse_entry(entry.without_details().line)
    assert hidden.hash == entry.hash
    assert b"Zephyr" not in hidden.line
    with pytest.raises(ValueError, match="not those it was made with"):
        parse_entry(entry._replace(details={"name": "Other"}).line)
