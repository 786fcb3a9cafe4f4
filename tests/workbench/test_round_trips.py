"""A pasted text, annotated, exported to every format and opened again: it is equal, or the loss is listed."""

from __future__ import annotations

import pytest

from aune.errors import UsageError
from aune.reading.source import Source
from aune.workbench.files import PLAIN, export_file, export_formats, response_states, texts
from aune.workbench.layout import WORD
from aune.workbench.model import Chain, Mention, Relation, State, Text

PASTED = {
    "French": "L'an dernier, qu'y a-t-il ?  Aujourd'hui, j'ouvris\n\nla porte. Fin.\n",
    "English": "Ann met Ben. She didn't smile (much).\n",
    "Hebrew": "שלום־עולם הוא בָּא. היא הלכה.",
    "Arabic": "ذهبَ مُحَمَّدٌ إلى البيت. هو هناك.",
    "Chinese": "我们在GitHub上见面。他说：「你好」。\n再见！",
    "emoji": "Family 👩‍👩‍👧‍👦 met 👍🏽! They 🇫🇷🇩🇪 left 1️⃣.\n",
}
EXACT = {"coref": {"jsonlines"}, "entities": {"jsonl"}, "tagging": {"jsonl"}}
"""Formats that hold every text as it is."""


def make_annotation(text: Text) -> State:
    first, second, third, *rest = text.words()
    if text.task == "tagging":
        tags = {f"m{number}": Mention(parts=(word,), label="NOUN") for number, word in enumerate(text.words())}
        return State({**tags, "c": Mention(parts=((first[0], second[1]),), label="X")})
    if text.task == "anaphora":
        labels = {"antecedent": first, "pronoun": third, "expletive": rest[0], "none": rest[1]}
        mentions = {label: Mention(parts=(word,), label=label) for label, word in labels.items()}
        return State(mentions, {}, {"r": Relation(kind="antecedent", source="pronoun", targets=("antecedent",))})
    mentions = {"e1": Mention(parts=(first,), chain="k"), "e2": Mention(parts=((second[0], third[1]),), chain="k")}
    if text.task == "entities":
        return State({name: Mention(parts=mention.parts, label="PER") for name, mention in mentions.items()})
    return State(mentions, {"k": Chain()})


@pytest.mark.parametrize("task", ["coref", "entities", "tagging"])
@pytest.mark.parametrize("script", PASTED)
def test_the_text_is_equal_or_the_loss_is_listed(task: str, script: str) -> None:
    pasted = Source("pasted.txt", PASTED[script].encode())
    [(text, _)] = texts(pasted, task, PLAIN)
    assert text.characters == PASTED[script]
    for form in export_formats(task, PLAIN):
        try:
            exported = export_file(pasted, task, PLAIN, {text.id: make_annotation(text)}, to=form)
        except UsageError as error:
            assert "choose another format" in str(error)
            continue
        losses = {"text", "tokens", "blanks and line ends of the text", "texts with other characters"}
        if not losses & exported.lost.keys():
            [(again, state)] = texts(Source(f"pasted.{form}", exported.data), task, form)
            assert again.characters == text.characters, form
            if "compounds" not in exported.lost:
                assert answers(state) == answers(make_annotation(text))
        assert form not in EXACT[task] or not exported.lost, (form, exported.lost)


@pytest.mark.parametrize("script", PASTED)
def test_pronouns_come_back_to_their_text(script: str) -> None:
    """Files of pairs do not contain the text, which is listed; on the text, all of the annotation is back."""
    pasted = Source("pasted.txt", PASTED[script].encode())
    [(text, _)] = texts(pasted, "anaphora", PLAIN)
    before = make_annotation(text)
    for form in export_formats("anaphora", PLAIN):
        exported = export_file(pasted, "anaphora", PLAIN, {text.id: before}, to=form)
        assert exported.lost == {"text": 1}
        again, notes = response_states(pasted, "anaphora", PLAIN, Source(f"pasted.{form}", exported.data), form)
        assert not notes and answers(again[text.id]) == answers(before), form


def answers(state: State) -> list[tuple[str, str, list[tuple[int, int]]]]:
    """Every mention with its place, its label and the places of its antecedents."""
    targets = {relation.source: relation.targets for relation in state.relations.values()}
    return sorted(
        (str(mention.parts), mention.label, [state.mentions[target].parts[0] for target in targets.get(name, ())])
        for name, mention in state.mentions.items()
    )


def test_conllu_says_where_there_is_no_blank() -> None:
    pasted = Source("pasted.txt", "我们在GitHub上见面。\nHe left.".encode())
    [(text, _)] = texts(pasted, "tagging", PLAIN)
    exported = export_file(pasted, "tagging", PLAIN, {text.id: State()}, to="conllu")
    rows = exported.data.decode()
    assert "# text = 我们在GitHub上见面。\n" in rows and "# text = He left.\n" in rows and not exported.lost
    assert rows.count("SpaceAfter=No") == 8  # each sign before the full stop, and "left"


def test_corefud_says_where_there_is_no_blank() -> None:
    pasted = Source("pasted.txt", "我们在GitHub上见面。He left.".encode())
    [(text, _)] = texts(pasted, "coref", PLAIN)
    rows = export_file(pasted, "coref", PLAIN, {text.id: State()}, to="corefud").data.decode()
    assert "# text = 我们在GitHub上见面。\n" in rows and "# text = He left.\n" in rows
    assert rows.count("SpaceAfter=No") == 9  # each sign of the first sentence, and "left"


def test_what_has_no_known_blanks_is_not_given_any() -> None:
    """A CoNLL file does not say where blanks are: nothing is made up."""
    conll = Source("a.conll", b"#begin document (a); part 000\na 0 0 Ann -\na 0 1 . -\n\n#end document\n")
    [(text, state)] = texts(conll, "coref", "conll2012")
    rows = export_file(conll, "coref", "conll2012", {text.id: state}, to="corefud").data
    assert b"SpaceAfter" not in rows and b"# text" not in rows


CLUSTERS = [
    "👩‍👩‍👧‍👦 x", "👍🏽!", "🇫🇷🇩🇪", "🏴󠁧󠁢󠁥󠁮󠁧󠁿.", "1️⃣ #️⃣", "שָׁלוֹם־עולם", "مُحَمَّد", "क्षत्रिय", "ราคาน้ำ", "កម្ពុជា", "မြန်မာ", "葛󠄀飾区",
    "e\u0301te\u0301", "x\u200dy", "❤️‍🔥", "a🏻b",
]  # fmt: skip


@pytest.mark.parametrize("text", CLUSTERS)
def test_tokens_never_split_a_grapheme_cluster(text: str) -> None:
    regex = pytest.importorskip("regex")
    ends = {0, *(cluster.end() for cluster in regex.finditer(r"\X", text))}
    assert all({word.start(), word.end()} <= ends for word in WORD.finditer(text))


def test_the_text_beside_brat_is_the_pasted_one() -> None:
    pasted = Source("pasted.txt", PASTED["French"].encode())
    [(text, _)] = texts(pasted, "coref", PLAIN)
    exported = export_file(pasted, "coref", PLAIN, {text.id: make_annotation(text)}, to="brat")
    assert exported.beside[".txt"].decode() == PASTED["French"]
