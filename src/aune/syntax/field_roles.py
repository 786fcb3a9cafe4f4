"""Fields and columns whose names show whose annotation they contain: the key's (gold) or a response's (predictions).

If a record has both, the same field would be read on both sides, and the key scored against itself. Readers therefore
use this module to choose the field, and refuse a record with several until the user names one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, TypeAlias

from aune.errors import Remedy

Role: TypeAlias = Literal["key", "response"]
FIELD_AMBIGUOUS = "record.two-roles"
PREDICTED = frozenset(("pred", "preds", "predicted", "prediction", "predictions", "hyp", "hypothesis", "hypotheses"))
SYSTEM = frozenset(("system", "sys", "response", "responses", "output", "outputs", "model", "auto", "candidate"))
GOLD = frozenset(("gold", "golden", "goldstandard", "groundtruth"))
REFERENCE = frozenset(("reference", "references", "ref", "refs", "true", "truth", "key", "target", "targets", "human"))
PLAIN = frozenset(("ground", "standard", "annotation", "annotations", "list", "seq", "sequence", "field", "column"))
SUBJECTS = {
    "anaphora": frozenset(("anaphor", "anaphors", "anaphora", "antecedent", "antecedents", "link", "links")),
    "coref": frozenset(("cluster", "clusters", "chain", "chains", "coref", "coreference")),
    "entities": frozenset(("span", "spans", "entity", "entities", "ent", "ents", "ner", "ne", "tag", "tags", "label",
                           "labels", "iob", "bio", "bioes")),
    "gap": frozenset(("a", "b", "coref")),
    "hipe": frozenset(("ne", "coarse", "fine", "lit", "meto", "comp", "nested")),
    "tagging": frozenset(("tag", "tags", "pos", "upos", "xpos", "label", "labels", "feats", "lemma", "lemmas")),
}  # fmt: skip
"""Words for the annotation of each task."""
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
ROLE_NAME = re.compile(
    rf'"[^"\\]*(?:{"|".join(sorted(PREDICTED | SYSTEM | GOLD | REFERENCE))})[^"\\]*"\s*:\s*\[', re.IGNORECASE
)
"""Whether the text of a JSON record may have a field with a role: a quick check before it is decoded."""


class FieldChoice(NamedTuple):
    """The field to read, or the two between which the user must choose."""

    name: str | None
    rivals: tuple[str, str] | None = None
    """A field of the key and one of a response."""

    def remedy(self, option: str) -> Remedy:
        """How to name the field that is meant, on both sides."""
        key, response = self.rivals or ("", "")
        return Remedy("say which is meant", ((option, key), (f"response_{option}", response)))


def field_role(name: str, subjects: frozenset[str]) -> Role | None:
    """Whose annotation a field contains, by its name; None for other names, and for fields about something else.

    >>> [field_role(name, SUBJECTS["entities"]) for name in ("pred_tags", "predictedSpans", "gold", "output", "tags")]
    ['response', 'response', 'key', 'response', None]
    >>> [field_role(name, SUBJECTS["entities"]) for name in ("pred_pos", "model_name", "key_points", "target_ner")]
    [None, None, None, 'key']
    """
    words = {word.lower() for word in WORD.findall(str(name))}
    if words <= subjects or not words <= subjects | PLAIN | PREDICTED | SYSTEM | GOLD | REFERENCE:
        return None
    if words & (PREDICTED | SYSTEM):
        return "response"
    return "key" if words & (GOLD | REFERENCE) else None


def choose_field(names: Iterable[str], usual: Sequence[str], subjects: frozenset[str]) -> FieldChoice:
    """Choose the field to read among those that contain annotations.

    It is the first of the usual names, or else the only one whose name indicates a role; with several the user chooses.

    >>> choose_field(["ner_tags", "predictions"], ["ner_tags", "tags"], SUBJECTS["entities"])
    FieldChoice(name=None, rivals=('ner_tags', 'predictions'))
    >>> choose_field(["pred_tags"], ["ner_tags"], SUBJECTS["entities"]).name
    'pred_tags'
    """
    present = list(names)
    first = next((name for name in usual if name in present), None)
    by_role: dict[Role | None, list[str]] = {}
    for name in present:
        by_role.setdefault(None if name in usual else field_role(name, subjects), []).append(name)
    keys, responses = by_role.get("key", []), by_role.get("response", [])
    if first is not None and (keys or responses):
        return FieldChoice(None, (first, responses[0]) if responses else (keys[0], first))
    if keys and responses:
        return FieldChoice(None, (keys[0], responses[0]))
    if first is None and len(keys) + len(responses) > 1:
        return FieldChoice(None, (*keys, *responses)[:2])  # type: ignore[arg-type]
    return FieldChoice(first or next(iter((*responses, *keys)), None))


def find_rival_list(text: str, subject: str, usual: Sequence[str]) -> str | None:
    """The first list of a JSON record whose name indicates the key or a response, apart from the usual names.

    >>> find_rival_list('{"label": [], "predicted_label": []}', "entities", ["label"])
    'predicted_label'
    """
    if not ROLE_NAME.search(text):
        return None
    import msgspec  # noqa: PLC0415 - few records look like that

    fields = msgspec.json.decode(text)
    return next(
        (name for name, value in fields.items()
         if isinstance(value, list) and name not in usual and field_role(name, SUBJECTS[subject])), None,
    )  # fmt: skip
