r"""Raw answers of language models: a record per document, and the list in the text of its answer.

    {"id": "d1", "answer": "Here they are:\n```json\n[[\"Ann\", \"PER\"]]\n```"}
    {"custom_id": "d2", "response": {"body": {"choices": [{"message": {"content": "[[\"Ann\", \"PER\"]]"}}]}}}

An answer is text, or the response of the service that ran the model: then it is the message, or the arguments of a
tool call. Reasoning before the answer and marks around it are removed and counted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias, TypeVar

import msgspec

from aune.errors import Remedy
from aune.reading.source import Source
from aune.syntax.jsonlines import Record, Shape, locate, records
from aune.syntax.literals import DEEPEST, Cut, complete_value, values
from aune.syntax.paired_marks import Unmarked

AnswerField: TypeAlias = Annotated[str, "the field of a record that holds the model's answer"]
Model: TypeAlias = Annotated[str, "read only the answers whose field `model` is this; all of them when empty"]
Unreadable: TypeAlias = Annotated[
    Literal["refuse", "skip"], "an answer, or a part of one, that cannot be read: a problem, or left out and counted"
]
ID_FIELDS = ("custom_id", "id", "doc_id", "doc_key", "document")
"""Fields with the name of the document; in batches of services `id` is that of the request."""
DEFAULT_FIELD = "answer"
ANSWER_FIELDS = (
    "response", "output", "completion", "prediction", "generated_text", "result", "content", "message", "reply",
    "model_output", "model_response", "raw_output", "raw_response", "raw_answer", "llm_output",
)  # fmt: skip
"""Other names of the field with the answer, used if the user names none and a record has only one of them."""
THOUGHTS = re.compile(
    r"\s*<(think|thinking|thoughts?|reasoning|analysis|reflection|scratchpad)>.*?(?:</\1>|\Z)\s*"
    r"|.*?</think(?:ing)?>\s*|\s*\[THINK\].*?(?:\[/THINK\]|\Z)\s*"
    r"|.*<\|channel\|>final<\|message\|>|\s*<\|channel\|>.*",
    re.DOTALL,
)
"""The reasoning before an answer; its opening mark is often left out by the calling program."""
ENDINGS = re.compile(r"(?:\s*(?:<\|[a-z_]+\|>|</s>|<end_of_turn>))+\s*\Z")
ANSWER_TAGS = re.compile(r"<(answer|final_answer|output|result|response|tool_call)>(.*?)(?:</\1>|\Z)", re.DOTALL)
TEXT_TAGS = re.compile(r"\s*<(text|sentence|document|passage)>((?:(?!</?\1>).)*)</\1>\s*", re.DOTALL)
FENCE = re.compile(r"```[ \t]*[\w+-]*[ \t]*\n?(.*?)(?:```|\Z)", re.DOTALL)
NO_ITEMS = re.compile(
    r"\W*(?:there (?:are|is) )?no (?:named |coreferring |coreferent )?(?:entit(?:ies|y)|mentions?)\b[^\n]{0,60}"
    r"|\W*(?:there (?:are|is) )?no coreference(?:s| (?:chains?|clusters?|links?|relations?))?\b[^\n]{0,60}"
    r"|\W*(?:none|n/a)\W*"
    r"|\W*(?:aucune|keine|ninguna|nessuna|nenhuma) (?:named |benannten? )?enti\w+[^\n]{0,60}"
    r"|\W*(?:(?:没有|沒有|无|無)(?:任何|找到|发现|發現)*(?:命名)?(?:实体|實體)?|固有表現(?:なし|はありません))\W*",
    re.IGNORECASE,
)
Item = TypeVar("Item")
WRAPPER_FIELDS = ("response", "body", "result", "choices", "candidates", "message", "output", "content", "parts",
          "tool_calls", "function_call", "functionCall", "function")  # fmt: skip
"""Fields in which services put the output of a model, from the outside in."""
ARGUMENT_FIELDS = ("arguments", "input", "args", "parameters")
TEXT_TYPES = ("text", "output_text")
LIST_FIELDS = frozenset((
    "entities", "named_entities", "entity_list", "extracted_entities", "mentions", "clusters", "chains", "coreference",
    "coreferences", "coreference_chains", "coreference_clusters", "annotations", "spans", "items", "list", "results",
    "result", "output", "answer", "response", "data",
))  # fmt: skip
"""Names of the field with the list, if the model was asked for an object."""


class Answer(NamedTuple):
    """The output of a model for a document."""

    document: str
    text: str
    line: int
    column: int


class UnreadableAnswer(Exception):  # noqa: N818 - a reason, not an internal error
    """An answer that cannot be read: what was found, what was expected."""


def answers(source: Source, field: str, model: str) -> Iterator[Answer]:
    """Every answer of a file; a record without an answer or without a document's name is reported."""
    for record in records(source):
        fields = _RECORD.decode(source, record)
        if fields is None or (model and str(fields.get("model", "")) != model):
            continue
        yield from _answer(source, record, fields, field)


_RECORD: Shape[dict[str, Any]] = Shape(dict[str, Any], "a document's name and an answer")


def _answer(source: Source, record: Record, fields: dict[str, Any], field: str) -> Iterator[Answer]:
    name = next((str(fields[key]) for key in ID_FIELDS if isinstance(fields.get(key), str | int)), None)
    try:
        text = answer_text(fields, field)
    except UnreadableAnswer as reason:
        source.add_problem(
            "answer.unreadable", record.line, record.column,
            found=reason.args[0], expected=f"{reason.args[1]} in one record", remedies=["write a record for each"],
        )  # fmt: skip
        return
    if name is None:
        source.add_problem(
            "name.missing", record.line, record.column,
            found=f"no document name ({', '.join(ID_FIELDS)})", expected="one in every record", remedies=["add it"],
        )  # fmt: skip
    elif text is None:
        known = ", ".join(f"`{key}`" for key, value in fields.items() if isinstance(value, str)) or "none"
        source.add_problem(
            "field.missing", record.line, record.column, found=f"no text in `{field}`",
            expected="the model's answer there", remedies=[f"name its field (text is in {known})"],
        )  # fmt: skip
    else:
        answer = strip_reasoning(text)
        if answer != text:
            note = "with the model's reasoning or marks of its own around it, which were taken off"
            note = note if answer else "broken off in the model's reasoning"
            source.add_note(note, partial(_count_message, note), {"answers": 1}, record.line)
        text_field = next(
            (candidate for candidate in (field, *ANSWER_FIELDS) if isinstance(fields.get(candidate), str)), field
        )
        yield Answer(name, answer, *locate(record, text_field))


def answer_text(record: Mapping[str, Any], field: str) -> str | None:
    """The model's output, from the field of a record or from the response of a service; None if there is none.

    >>> answer_text({"id": "d", "response": "no entities"}, "answer")
    'no entities'
    """
    value = record.get(field)
    if isinstance(value, str):
        return value
    if value is None and field == DEFAULT_FIELD:
        texts = [text for name in ANSWER_FIELDS if isinstance(text := record.get(name), str)]
        if texts:
            return texts[0] if len(texts) == 1 else None
    if value is None:
        value = {name: record[name] for name in WRAPPER_FIELDS if name in record} or None
    content = message_content(value)
    if content is None and isinstance(value, dict | list):
        content = value
    return content if content is None or isinstance(content, str) else msgspec.json.encode(content).decode()


def message_content(value: Any) -> Any:
    """The model's output in the response of a service: a text, or the arguments of a tool call; None for other values.

    >>> message_content({"role": "assistant", "content": [{"type": "text", "text": "no entities"}]})
    'no entities'
    """
    parts = list(_message_parts(value))
    calls = [content for is_call, content in parts if is_call]
    if len(calls) > 1:
        raise UnreadableAnswer(f"{len(calls)} calls of a tool", "one")
    return calls[0] if calls else "".join(text for _, text in parts) if parts else None


def _message_parts(value: Any, depth: int = 0) -> Iterator[tuple[bool, Any]]:
    """The model's output inside the layers that services put around it, and whether it is a tool call."""
    fields = complete_value(value)
    if isinstance(fields, list) and depth <= DEEPEST:
        for part in fields:
            yield from _message_parts(part, depth + 1)
    if not isinstance(fields, dict) or depth > DEEPEST:
        return
    if isinstance(fields.get("name"), str) and (
        name := next((name for name in ARGUMENT_FIELDS if name in fields), None)
    ):
        yield True, fields[name]
        return
    if isinstance(fields.get("text"), str) and fields.get("type") in TEXT_TYPES:
        yield False, fields["text"]
    if isinstance(fields.get("content"), str) and ("role" in fields or set(fields) == {"content"}):
        yield False, fields["content"]
    for layer in WRAPPER_FIELDS:
        inner = complete_value(fields.get(layer))
        if layer in ("choices", "candidates") and isinstance(inner, list) and len(inner) > 1:
            raise UnreadableAnswer(f"{len(inner)} answers", "one")
        if layer == "parts" and isinstance(inner, list):
            yield from ((False, part["text"]) for part in inner if isinstance(part, dict) and "text" in part)
        yield from _message_parts(inner, depth + 1)


def strip_reasoning(text: str) -> str:
    """The answer after the reasoning of a model, without marks around it.

    >>> answer = "<think>Ann? [['Ann', 'LOC']] No.</think>[['Ann', 'PER']]"
    >>> strip_reasoning(answer), strip_reasoning("<think>Ann may be")
    ("[['Ann', 'PER']]", '')
    >>> strip_reasoning("<answer>Ann (PER)</answer><|im_end|>")
    'Ann (PER)'
    """
    thoughts = THOUGHTS.match(text)
    answer = ENDINGS.sub("", text[thoughts.end() :] if thoughts else text)
    around = [*ANSWER_TAGS.finditer(answer)] or [*filter(None, [TEXT_TAGS.fullmatch(answer)])]
    return around[0][2].strip() if len(around) == 1 else answer


def has_answers(head: str, fits: Callable[[str], bool]) -> bool:
    """Whether the first answer of a file with any items fits; if there is none, the first answer decides."""
    first_answers = list(_first_answers(head))
    return bool(first_answers) and fits(
        next((text for text in first_answers if text and not NO_ITEMS.fullmatch(text)), first_answers[0])
    )


def _first_answers(head: str) -> Iterator[str]:
    """The answers at the beginning of a file, up to the first line that is no record with an answer."""
    for line in filter(str.strip, head.split("\n")):
        try:
            record = msgspec.json.decode(line)
            answer = answer_text(record, DEFAULT_FIELD) if isinstance(record, dict) else None
        except (msgspec.DecodeError, RecursionError, UnreadableAnswer):
            return
        if answer is None:
            return
        yield strip_reasoning(answer)


def may_have_answers(head: str) -> bool:
    """Whether a file has answers at all, whatever their form."""
    return has_answers(head, lambda _: True)


class Listing(NamedTuple):
    """The list found in an answer."""

    value: Any
    """A list or an object; where the text breaks off, a `Cut`, which may contain others."""
    wrapped: bool
    """Whether a fence or prose was around it."""


def listing(answer: str, is_list: Callable[[Any], bool], is_item: Callable[[Any], bool] = lambda _: False) -> Listing:
    r"""The only list of an answer with the expected structure; consecutive items also form one.

    >>> listing("Sure!\n```json\n[['Ann', 'PER'], ['Bo', 'P\n```", lambda value: True)
    Listing(value=Cut(value=[['Ann', 'PER'], Cut(value=['Bo'], begun=True)], begun=False), wrapped=True)
    >>> listing('{"entities": [["Ann", "PER"]], "count": 1}', lambda value: True).value
    [['Ann', 'PER']]
    """
    text = answer.strip()
    fenced = [match.group(1) for match in FENCE.finditer(text)]
    candidates: dict[str, Listing] = {}
    for block in fenced or [text]:
        for start, end, literal in _join_items(block, is_item):
            value = literal if is_item(literal) else unwrap_list(literal)
            if is_list(value):
                around = bool(fenced) or block[:start].strip() != "" or block[end:].strip() != ""
                candidates.setdefault(repr(value), Listing(value, around))
    filled = [candidate for candidate in candidates.values() if candidate.value] or list(candidates.values())
    if len(filled) > 1:
        raise UnreadableAnswer(f"{len(filled)} lists", "one")
    if filled:
        return filled[0]
    if NO_ITEMS.fullmatch(text):
        return Listing([], False)
    raise UnreadableAnswer(shorten(text), "a list of items")


ITEM_SEPARATOR = re.compile(r"[\s,;•*-]*(?:\d+[.)]\s*)?")


def _join_items(block: str, is_item: Callable[[Any], bool]) -> Iterator[tuple[int, int, Any]]:
    """The values of a text; items with only commas, bullets or line breaks between them form one list."""
    run: list[tuple[int, int, Any]] = []
    for start, end, literal in values(block):
        value = _unwrap_call(literal)
        is_next = bool(run) and ITEM_SEPARATOR.fullmatch(block[run[-1][1] : start]) is not None
        if run and not (is_next and (is_item(value) or _is_begun(value))):
            yield _as_one(run)
            run = []
        if run or is_item(value):
            run.append((start, end, value))
        else:
            yield start, end, value
    if run:
        yield _as_one(run)


def _is_begun(value: Any) -> bool:
    return isinstance(value, Cut) and isinstance(value.value, dict)


def _as_one(run: list[tuple[int, int, Any]]) -> tuple[int, int, Any]:
    items = [value for _, _, value in run]
    value = items[0] if len(items) == 1 else Cut(items, begun=False) if _is_begun(items[-1]) else items
    return run[0][0], run[-1][1], value


def _unwrap_call(value: Any) -> Any:
    """The arguments of a tool call, or the list in its message, if a value is one of these."""
    content = message_content(value)
    return value if content is None else _only_value(content) if isinstance(content, str) else content


def _only_value(text: str) -> Any:
    inside = [value for _, _, value in values(text)]
    return _unwrap_call(inside[0]) if len(inside) == 1 else text


def unwrap_list(value: Any) -> Any:
    """The value under a name such as `entities`, perhaps encoded as a string again; empty if it is null."""
    fields = complete_value(value)
    named = [name for name in fields if folded_name(name) in LIST_FIELDS] if isinstance(fields, dict) else []
    if len(named) != 1:
        return value
    inner = fields[named[0]]
    return [] if inner is None else unwrap_list(_only_value(inner) if isinstance(inner, str) else inner)


def folded_name(name: str) -> str:
    """The name of a field, however its words are separated.

    >>> folded_name("Entity Type"), folded_name("entity-type"), folded_name("entityType")
    ('entity_type', 'entity_type', 'entity_type')
    """
    return re.sub(r"[\s-]+|(?<=[a-z])(?=[A-Z])", "_", name.strip()).lower()


def listings(
    source: Source, field: str, model: str, unreadable: Unreadable, is_list: Callable[[Any], bool],
    is_item: Callable[[Any], bool], items: Callable[[Any, Answer, Reading], tuple[list[Item], int]],
) -> Iterator[tuple[Answer, list[Item], int]]:  # fmt: skip
    """Every answer of a file with the items of its list, and how many were cut off; no items for one without a list."""
    reading = Reading(source, unreadable)
    for answer in answers(source, field, model):
        try:
            answer_list = listing(answer.text, is_list, is_item)
        except UnreadableAnswer as reason:
            reading.refuse(answer, *reason.args)
            yield answer, [], 0
        else:
            reading.wrapped += answer_list.wrapped
            yield answer, *items(answer_list.value, answer, reading)
    reading.emit_notes()


NONE_LABEL = re.compile(
    r"[\W_]*(?:o|none|null|nil|n/a|nothing|no[\s_-]*(?:entity|label|type)|not[\s_-]+an?[\s_-]+entity|non[\s_-]*entity)[\W_]*",
    re.IGNORECASE,
)
"""A label by which a model marks a string that is no item."""


def leave_out_none(source: Source, answer: Answer, items: list[Item], label: Callable[[Item], str]) -> list[Item]:
    """The items without those whose label means that they are no items, which are counted."""
    remaining = [item for item in items if not NONE_LABEL.fullmatch(label(item))]
    if len(remaining) < len(items):
        note = "with items whose label means none (such as O), which were left out"
        source.add_note(note, partial(_count_message, note), {"answers": 1}, answer.line)
    return remaining


def shorten(text: str, most: int = 40) -> str:
    """The beginning of a text, for a message."""
    return repr(text if len(text) <= most else f"{text[:most]}…") if text else "an empty answer"


class Reading:
    """The outcome of reading the answers of a file, as problems or as counts for warnings."""

    def __init__(self, source: Source, unreadable: Unreadable) -> None:
        self.source, self.unreadable = source, unreadable
        self.wrapped = self.skipped = self.others = 0

    def refuse(self, answer: Answer, found: str, expected: str) -> None:
        """Report an answer, or an item of one, that cannot be read."""
        if self.unreadable == "refuse":
            self.source.add_problem(
                "answer.unreadable", answer.line, answer.column,
                found=found, expected=f"{expected} in the answer for {answer.document!r}",
                remedies=["correct it", Remedy("leave such things out", (("unreadable", "skip"),))],
            )  # fmt: skip
        else:
            self.skipped += 1

    def refuse_text(self, answer: Answer, unmarked: Unmarked) -> None:
        """Report an answer that is no text, or has unpaired marks."""
        if not answer.text.strip():
            self.refuse(answer, "an empty answer", "the text with marks")
        if unmarked.stray:
            first = unmarked.stray[0]
            alone = f"{len(unmarked.stray)} marks alone, the first {answer.text[first.start : first.end]!r}"
            self.refuse(answer, f"{alone} at character {first.start + 1}", "marks in pairs")

    def emit_notes(self) -> None:
        """The counts, as warnings."""
        for number, description in (
            (self.wrapped, "with a fence, a heading or prose around the list, which was taken off"),
            (self.others, "with lines that are no items, which were passed over"),
            (self.skipped, "or parts of answers that could not be read, left out"),
        ):
            if number:
                self.source.add_note(description, partial(_count_message, description), {"answers": number})


def _count_message(description: str, counts: Mapping[str, int], line: int) -> str:
    number = counts["answers"]
    return f"{number} answer{'s' if number > 1 else ''} {description}"
