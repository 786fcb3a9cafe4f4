"""SegLST: a JSON list of segments, as meeteval and the CHiME challenges use it.

    [{"session_id": "s1", "speaker": "ann", "start_time": 0.5, "end_time": 2.0, "words": "good morning"}]

Segments have no names, and key and response may be cut differently: the segments of a session (or of each speaker of
it, with `group speaker`) are put together in the order of their times and are one document. Carries words and speakers.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

import msgspec

from aune.core.corpus import Source
from aune.core.task import Format
from aune.tasks.speech.model import Utterance, utterances

Group = Annotated[Literal["session", "speaker"], "what is compared as one text: a session, or each speaker of it"]


def read(source: Source, *, group: Group = "session") -> Iterator[Utterance]:
    try:
        segments = msgspec.json.decode(source.text)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        source.problem(1, 1, f"found no JSON ({error}), expected a list of segments: mend the file")
        return
    if not isinstance(segments, list):
        source.problem(1, 1, "found no list, expected [{…}, …] with a segment in each pair of braces: mend the file")
        return
    texts: dict[tuple[str, str], list[tuple[float, int, str]]] = {}
    for number, segment in enumerate(segments, 1):
        words = segment.get("words") if isinstance(segment, dict) else None
        session = segment.get("session_id") if isinstance(segment, dict) else None
        if not isinstance(words, str) or not isinstance(session, str | int):
            what = "expected an object with session_id and words: mend it"
            source.problem(1, 1, f"found segment {number} without a session_id or words, {what}")
            continue
        speaker = str(segment.get("speaker", "")) if group == "speaker" else ""
        texts.setdefault((str(session), speaker), []).append((_time(segment), number, words))
    for (session, speaker), parts in texts.items():
        found = [word for _, _, text in sorted(parts) for word in text.split()]
        attributes = {"document": session} | ({"speaker": speaker} if speaker else {})
        yield Utterance(f"{session}/{speaker}" if speaker else session, found, attributes)


def _time(segment: dict[str, Any]) -> float:
    time = segment.get("start_time", 0.0)
    try:
        return float(time)
    except (TypeError, ValueError):
        return 0.0


def sniff(head: str) -> bool:
    return head.lstrip().startswith("[") and '"session_id"' in head and '"words"' in head


def write(documents: Sequence[Utterance]) -> Iterator[str]:
    segments = [
        {
            "session_id": one.attributes.get("document", one.id),
            "speaker": one.attributes.get("speaker", ""),
            "start_time": one.span[0] if one.span else 0.0,
            "end_time": one.span[1] if one.span else 0.0,
            "words": " ".join(one.words),
        }
        for one in utterances(documents)
    ]
    yield json.dumps(segments, ensure_ascii=False, indent=1) + "\n"


FORMAT = Format(read, sniff, write, carries=frozenset({"words"}))
