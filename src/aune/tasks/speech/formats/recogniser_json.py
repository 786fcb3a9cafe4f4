"""JSON of recognisers about one recording: Whisper, WhisperX, whisper.cpp, Vosk and cloud services.

    {"text": " good morning", "segments": [{"start": 0.5, "end": 1.5, "text": " good morning", "words": [
        {"word": " good", "start": 0.5, "end": 0.9, "probability": 0.98},
        {"word": " morning", "start": 0.9, "end": 1.5, "probability": 0.9}]}]}

Read are the answers of Whisper and of what is built on it (`segments`, `chunks`, `transcription`), Vosk (`result`),
AssemblyAI, Deepgram, Google, Azure, Amazon, Rev, Speechmatics, ElevenLabs and Gladia, and lists of segments with
`start`, `end` and `text` (faster-whisper), in the wording that they show: with capitals and punctuation, which
`--normalize` takes off. Where there are alternatives, the first is read; where there are several channels, all are.
Everything in a file is one text, named for the file; `group` keeps speakers apart, or segments with their times.
Carries words, times and confidences.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from aune.contract.format import Format
from aune.files import parse_json
from aune.reading.source import Source
from aune.syntax.jsonlines import repeated_names
from aune.syntax.numbers import parse_number
from aune.tasks.speech.formats._foreign import is_one_recording
from aune.tasks.speech.formats._segments import Group, SpeechSegment, group_segments, segment_of_words
from aune.tasks.speech.model import Document

Words: TypeAlias = Sequence[tuple[str, float | None, float | None, float | None]]
START = ("start", "start_time", "ts", "from")
END = ("end", "end_time", "end_ts", "to")
CONFIDENCE = ("confidence", "probability", "score", "conf")
SPEAKER = ("speaker", "speaker_id", "speakerTag", "speakerLabel", "speaker_label", "speaker_tag")
WORD = ("punctuated_word", "word", "text", "content", "value")
ISO_SECONDS = re.compile(r"PT(?:([\d.]+)H)?(?:([\d.]+)M)?(?:([\d.]+)S)?")
CLOCK = re.compile(r"(\d+):(\d\d):(\d\d)[.,](\d+)")


def read(source: Source, *, group: Group = "session") -> Iterator[Document]:
    try:
        answer = parse_json(source.text)
    except ValueError as error:
        line, column = getattr(error, "lineno", 1), getattr(error, "colno", 1)
        reason = getattr(error, "msg", str(error))
        source.add_problem(
            "json.malformed", line, column, found=f"broken JSON ({reason})", expected="one whole object",
            remedies=["correct it"],
        )  # fmt: skip
        return
    if repeated := repeated_names(source.text):
        source.add_problem(
            "json.name-repeated", 1, 1, found=f"the name {repeated[0]!r} twice in one object",
            expected="every name once", remedies=["remove one"],
        )  # fmt: skip
        return
    answer = _unwrap(answer)
    dialect = recognise_dialect(answer)
    if dialect is None:
        source.add_problem(
            "file.no-transcripts", 1, 1, found="no answer of a recogniser that aune knows",
            expected="an object with segments, words or results", remedies=["write JSON lines with `id` and `text`"],
        )  # fmt: skip
        return
    try:
        segments = [segment for segment in dialect.segments(answer) if segment.words]
    except (AttributeError, KeyError, TypeError, IndexError, ValueError, RecursionError):
        source.add_problem(
            "field.wrong-type", 1, 1, found=f"an answer of {dialect.name} in another shape",
            expected="that of its documentation", remedies=["correct it"],
        )  # fmt: skip
        return
    yield from group_segments(source.stem, segments, group)


def _unwrap(answer: Any) -> Any:
    """The answer inside what a service wraps around it: a finished operation of Google, or one file of a batch."""
    if isinstance(answer, dict) and isinstance(answer.get("response"), dict) and "results" in answer["response"]:
        answer = answer["response"]
    files = answer.get("results") if isinstance(answer, dict) else None
    if isinstance(files, dict) and len(files) == 1:
        [file] = files.values()
        transcript = file.get("transcript") if isinstance(file, dict) else None
        return transcript if isinstance(transcript, dict) and "results" in transcript else answer
    return answer


def seconds(value: Any) -> float | None:
    """A time as services write it, in seconds.

    >>> [seconds(value) for value in (1.5, "1.5", "1.500s", "PT1M1.5S", "00:00:01,500", {"seconds": "1"}, None)]
    [1.5, 1.5, 1.5, 61.5, 1.5, 1.0, None]
    """
    if isinstance(value, Mapping):
        return (seconds(value.get("seconds")) or 0.0) + (seconds(value.get("nanos")) or 0.0) / 1e9
    if isinstance(value, bool) or value is None:
        return None
    text = str(value)
    if match := ISO_SECONDS.fullmatch(text):
        return sum(float(part or 0) * scale for part, scale in zip(match.groups(), (3600, 60, 1), strict=True))
    if match := CLOCK.fullmatch(text):
        hours, minutes, rest, fraction = match.groups()
        return int(hours) * 3600 + int(minutes) * 60 + float(f"{rest}.{fraction}")
    number = parse_number(text.removesuffix("s"))
    return number if number is not None and number >= 0 else None


def _first(item: Mapping[str, Any], names: Sequence[str], default: Any = None) -> Any:
    return next((item[name] for name in names if item.get(name) is not None), default)


def _words(items: Sequence[Mapping[str, Any]], scale: float = 1.0) -> Words:
    """Words with their times; a time in other units is scaled."""
    words = []
    for item in items:
        start, end = seconds(_first(item, START)), seconds(_first(item, END))
        start, end = (None if time is None else time * scale for time in (start, end))
        words.append((str(_first(item, WORD, "")), start, end, parse_number(str(_first(item, CONFIDENCE, "")))))
    return words


def _speaker(item: Mapping[str, Any]) -> str:
    return str(_first(item, SPEAKER, ""))


def _speaker_turns(items: Sequence[Mapping[str, Any]], scale: float = 1.0) -> Iterator[SpeechSegment]:
    """Segments of words, a new one where the speaker changes."""
    turn: list[Mapping[str, Any]] = []
    for item in items:
        if turn and _speaker(item) != _speaker(turn[-1]):
            yield segment_of_words(_words(turn, scale), _speaker(turn[0]))
            turn = []
        turn.append(item)
    if turn:
        yield segment_of_words(_words(turn, scale), _speaker(turn[0]))


def _text_segment(text: str, words: Words, start: Any = None, end: Any = None, speaker: str = "") -> SpeechSegment:
    """A segment whose text is given; its words give times and confidences where they are the words of the text."""
    timed = segment_of_words(words, speaker)
    if timed.words == text.split():
        return timed._replace(start=timed.start if start is None else start, end=timed.end if end is None else end)
    begin, stop = (timed.start if start is None else start), (timed.end if end is None else end)
    return SpeechSegment(text.split(), begin, stop, speaker)


def whisper_segments(answer: Mapping[str, Any]) -> Iterator[SpeechSegment]:
    for item in answer["segments"]:
        start, end = seconds(item.get("start")), seconds(item.get("end"))
        speaker = _speaker(item) or next((_speaker(word) for word in item.get("words") or () if _speaker(word)), "")
        yield _text_segment(str(item["text"]), _words(item.get("words") or ()), start, end, speaker)


def chunk_segments(answer: Mapping[str, Any]) -> Iterator[SpeechSegment]:
    """The output of a Hugging Face pipeline."""
    for item in answer["chunks"]:
        start, end = item.get("timestamp") or (None, None)
        yield _text_segment(str(item["text"]), (), seconds(start), seconds(end), _speaker(item))


def whisper_cpp_segments(answer: Mapping[str, Any]) -> Iterator[SpeechSegment]:
    for item in answer["transcription"]:
        times = item.get("timestamps") or {}
        yield _text_segment(str(item["text"]), (), seconds(times.get("from")), seconds(times.get("to")), _speaker(item))


def vosk_segments(answer: Mapping[str, Any]) -> Iterator[SpeechSegment]:
    yield from _speaker_turns(answer["result"])


def word_list_segments(answer: Mapping[str, Any]) -> Iterator[SpeechSegment]:
    """Whisper of OpenAI with the granularity of words."""
    yield _text_segment(str(answer["text"]), _words(answer["words"]))


def assemblyai_segments(answer: Mapping[str, Any]) -> Iterator[SpeechSegment]:
    """Times are milliseconds."""
    for item in answer.get("utterances") or ():
        if item.get("words") or not item.get("text"):
            yield segment_of_words(_words(item["words"], 0.001), _speaker(item))
        else:
            start, end = (seconds(item.get(name)) for name in ("start", "end"))
            begin, stop = (None if time is None else time * 0.001 for time in (start, end))
            yield SpeechSegment(str(item["text"]).split(), begin, stop, _speaker(item))
    if not answer.get("utterances"):
        yield from _speaker_turns(answer["words"], 0.001)


def deepgram_segments(answer: Mapping[str, Any]) -> Iterator[SpeechSegment]:
    channels = answer["results"]["channels"]
    for number, channel in enumerate(channels):
        best = channel["alternatives"][0]
        prefix = f"channel {number}" if len(channels) > 1 else ""
        for segment in _speaker_turns(best.get("words") or ()):
            yield segment._replace(speaker=" ".join(part for part in (prefix, segment.speaker) if part))
        if not best.get("words"):
            yield SpeechSegment(str(best["transcript"]).split(), speaker=prefix)


def google_segments(answer: Mapping[str, Any]) -> Iterator[SpeechSegment]:
    """With speakers, the last result has all words again, with their speakers and without a transcript."""
    best = [item["alternatives"][0] for item in answer["results"] if item.get("alternatives")]
    last = best[-1] if best else {}
    if len(best) > 1 and not last.get("transcript") and last.get("words"):
        best = [last]
    for item in best:
        words = item.get("words") or ()
        timed = [dict(word, start=_first(word, GOOGLE_START), end=_first(word, GOOGLE_END)) for word in words]
        if len({_speaker(word) for word in timed}) > 1 or not item.get("transcript"):
            yield from _speaker_turns(timed)
        else:
            speaker = _speaker(timed[0]) if timed else ""
            yield _text_segment(str(item.get("transcript", "")), _words(timed), speaker=speaker)


GOOGLE_START = ("startTime", "startOffset", "start_time", "start_offset")
GOOGLE_END = ("endTime", "endOffset", "end_time", "end_offset")


def azure_segments(answer: Mapping[str, Any]) -> Iterator[SpeechSegment]:
    """Phrases of a batch; where they were left out, the whole text of each channel."""
    if not answer.get("recognizedPhrases"):
        for channel in answer.get("combinedRecognizedPhrases") or ():
            yield SpeechSegment(str(channel.get("display", "")).split())
        return
    for phrase in answer["recognizedPhrases"]:
        best = (phrase.get("nBest") or [{}])[0]
        items = best.get("displayWords") or best.get("words") or ()
        words = [_azure_word(item) for item in items]
        start, end = _azure_time(phrase)
        text = str(best.get("display") or " ".join(word for word, *_ in words) or best.get("lexical", ""))
        yield _text_segment(text, words, start, end, _speaker(phrase))


def azure_short_segments(answer: Mapping[str, Any]) -> Iterator[SpeechSegment]:
    """The answer to one short recording, without words if nothing was recognised; its times are ticks."""
    best = answer["NBest"][0] if answer.get("NBest") else {}
    text = str(answer.get("DisplayText") or best.get("Display") or best.get("Lexical", ""))
    start, length = seconds(answer.get("Offset")), seconds(answer.get("Duration"))
    if start is None or length is None:
        yield SpeechSegment(text.split())
    else:
        yield _text_segment(text, (), start * 1e-7, (start + length) * 1e-7)


def azure_fast_segments(answer: Mapping[str, Any]) -> Iterator[SpeechSegment]:
    for phrase in answer["phrases"]:
        words = [(str(item.get("text", "")), *_azure_time(item), None) for item in phrase.get("words") or ()]
        yield _text_segment(str(phrase["text"]), words, *_azure_time(phrase), _speaker(phrase))


def elevenlabs_segments(answer: Mapping[str, Any]) -> Iterator[SpeechSegment]:
    """Blanks between words are items of their own, and sounds too."""
    yield from _speaker_turns([item for item in answer["words"] if item.get("type", "word") == "word"])


def gladia_segments(answer: Mapping[str, Any]) -> Iterator[SpeechSegment]:
    for item in answer["result"]["transcription"]["utterances"]:
        start, end = seconds(item.get("start")), seconds(item.get("end"))
        yield _text_segment(str(item["text"]), _words(item.get("words") or ()), start, end, _speaker(item))


def _azure_word(item: Mapping[str, Any]) -> tuple[str, float | None, float | None, float | None]:
    start, end = _azure_time(item)
    return str(_first(item, ("displayText", "word"), "")), start, end, parse_number(str(item.get("confidence")))


def _azure_time(item: Mapping[str, Any]) -> tuple[float | None, float | None]:
    """Start and end of what has an offset and a duration, in whichever unit."""
    for unit, scale in (("InTicks", 1e-7), ("Milliseconds", 1e-3), ("", 1.0)):
        start, length = seconds(item.get(f"offset{unit}")), seconds(item.get(f"duration{unit}"))
        if start is not None and length is not None:
            return start * scale, (start + length) * scale
    return None, None


def amazon_segments(answer: Mapping[str, Any]) -> Iterator[SpeechSegment]:
    yield from _itemised_words(answer["results"]["items"], "punctuation")


def speechmatics_segments(answer: Mapping[str, Any]) -> Iterator[SpeechSegment]:
    yield from _itemised_words(answer["results"], "punctuation")


def _itemised_words(items: Sequence[Mapping[str, Any]], punctuation: str) -> Iterator[SpeechSegment]:
    """Words and signs as items with alternatives; a sign belongs to the word before."""
    words: list[dict[str, Any]] = []
    for item in items:
        best = (item.get("alternatives") or [{}])[0]
        content = str(best.get("content", ""))
        if item.get("type") == punctuation and words:
            words[-1]["text"] += content
        else:
            words.append({**item, "speaker": _speaker(best) or _speaker(item), "text": content,
                          "confidence": best.get("confidence")})  # fmt: skip
    yield from _speaker_turns([{name: word.get(name) for name in ITEM_FIELDS} for word in words])


ITEM_FIELDS = ("text", "start_time", "end_time", "confidence", "speaker")


def rev_segments(answer: Mapping[str, Any]) -> Iterator[SpeechSegment]:
    for monologue in answer["monologues"]:
        elements = monologue["elements"]
        text = "".join(
            (" " if item["type"] == "text" and before.get("type") == "text" else "") + str(item["value"])
            for before, item in zip([{}, *elements], elements, strict=False)
        )
        words = _words([item for item in elements if item["type"] == "text"])
        timed = segment_of_words(words)
        yield _text_segment(text, words, timed.start, timed.end, str(_first(monologue, SPEAKER, "")))


class Dialect(NamedTuple):
    """What one recogniser writes."""

    name: str
    matches: Callable[[Mapping[str, Any]], bool]
    segments: Callable[[Mapping[str, Any]], Iterator[SpeechSegment]]


def _has_list(name: str, *fields: str) -> Callable[[Mapping[str, Any]], bool]:
    """Whether an object has a list of objects under a name, with one of some fields in the first; or an empty list."""

    def matches(answer: Mapping[str, Any]) -> bool:
        items = answer.get(name)
        if not isinstance(items, list):
            return False
        return not items or (isinstance(items[0], dict) and any(field in items[0] for field in fields))

    return matches


def _is_under_results(name: str) -> Callable[[Mapping[str, Any]], bool]:
    def matches(answer: Mapping[str, Any]) -> bool:
        results = answer.get("results")
        return isinstance(results, dict) and isinstance(results.get(name), list)

    return matches


def _has_content(answer: Mapping[str, Any]) -> bool:
    results = answer.get("results")
    return _has_list("results", "alternatives")(answer) and "type" in results[0] if results else False


def _is_assemblyai(answer: Mapping[str, Any]) -> bool:
    return "text" in answer and _has_list("words", "text")(answer) and ("audio_url" in answer or "utterances" in answer)


def _is_elevenlabs(answer: Mapping[str, Any]) -> bool:
    return "language_code" in answer and "language_probability" in answer and _has_list("words", "text")(answer)


def _is_gladia(answer: Mapping[str, Any]) -> bool:
    result = answer.get("result")
    transcription = result.get("transcription") if isinstance(result, dict) else None
    return isinstance(transcription, dict) and isinstance(transcription.get("utterances"), list)


DIALECTS = (
    Dialect("AssemblyAI", _is_assemblyai, assemblyai_segments),
    Dialect("Deepgram", _is_under_results("channels"), deepgram_segments),
    Dialect("Amazon Transcribe", _is_under_results("items"), amazon_segments),
    Dialect("Azure", _has_list("recognizedPhrases", "nBest"), azure_segments),
    Dialect("Azure", _has_list("NBest", "Display", "Lexical"), azure_short_segments),
    Dialect("Azure", lambda answer: "RecognitionStatus" in answer and "NBest" not in answer, azure_short_segments),
    Dialect("Azure", _has_list("phrases", "text"), azure_fast_segments),
    Dialect("ElevenLabs", _is_elevenlabs, elevenlabs_segments),
    Dialect("Gladia", _is_gladia, gladia_segments),
    Dialect("Rev", _has_list("monologues", "elements"), rev_segments),
    Dialect("Speechmatics", _has_content, speechmatics_segments),
    Dialect("Google", _has_list("results", "alternatives"), google_segments),
    Dialect("whisper.cpp", _has_list("transcription", "timestamps", "offsets"), whisper_cpp_segments),
    Dialect("Hugging Face", _has_list("chunks", "timestamp"), chunk_segments),
    Dialect("Whisper", _has_list("segments", "text"), whisper_segments),
    Dialect("Vosk", _has_list("result", "word"), vosk_segments),
    Dialect("Whisper", lambda answer: "text" in answer and _has_list("words", "word")(answer), word_list_segments),
)


def recognise_dialect(answer: Any) -> Dialect | None:
    """Whose answer an object is.

    >>> recognise_dialect({"text": "a", "segments": [{"text": "a"}]}).name, recognise_dialect({"text": "a"})
    ('Whisper', None)
    """
    if isinstance(answer, list) and all(isinstance(item, dict) and "text" in item for item in answer):
        return Dialect("Whisper", lambda _: True, lambda segments: whisper_segments({"segments": segments}))
    if not isinstance(answer, Mapping):
        return None
    return next((dialect for dialect in DIALECTS if dialect.matches(answer)), None)


def sniff(head: str) -> bool:
    return is_one_recording(head)


FORMAT = Format(read, sniff, carries=frozenset({"words", "times", "confidences"}), suffixes=(".json",))
