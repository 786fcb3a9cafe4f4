"""Plain Python for every task: what is meant is scored, what could mean something else is refused with what would work.

Each shape that is accepted must give the number that the same data gives in the task's own shape.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aune

CHAINS = [[(0, 1), (5, 6)], [(2, 3), (7, 8)]]
OTHERS = [[(0, 1), (7, 8)], [(2, 3), (5, 6)]]
TAGS = [["B-PER", "I-PER", "O"], ["B-LOC"]]
GUESSED = [["B-PER", "O", "O"], ["B-LOC"]]

WRONG: list[tuple[str, Any, str]] = [
    # task, what somebody might give, a part of what they are told
    ("coref", [CHAINS, CHAINS], "several documents are {'name': chains, …} or [{'clusters': chains}, …]"),
    ("coref", {1: CHAINS[0], 2: CHAINS[1]}, "list(chains.values())"),
    ("coref", {"c1": ["he", "Ann"], "c2": ["it"]}, "list(chains.values())"),
    ("coref", {"c1": {1, 2}, "c2": {3}}, "list(chains.values())"),
    ("coref", {"doc": {"c1": [(0, 1)]}}, "chains by name are list(chains.values())"),
    ("coref", [0, 0, 1], "put the mentions of a chain together"),
    ("coref", np.array([0, 0, 1]), "put the mentions of a chain together"),
    ("coref", ["ab", "cd"], "one mention alone is the chain ['ab']"),
    ("coref", [(0, 1), (5, 6)], "a pair is a mention and not a chain"),
    ("coref", [["Ann", 1.5]], "a mention: a name, (start, end)"),
    ("coref", [[None]], "leave out what is not there"),
    ("coref", [[(0, 1, 2)]], "a place is (start, end)"),
    ("coref", {(0, 1): 0, (5, 6): 0}, "expected chains of mentions"),
    ("coref", [{"chains": CHAINS}], "records with 'clusters'"),
    ("coref", [{"clusters": CHAINS, "predicted_clusters": CHAINS}], "expected one of them"),
    ("coref", [True, False], "expected chains of mentions"),
    ("coref", None, "expected chains of mentions"),
    ("coref", 3, "expected chains of mentions"),
    ("entities", [[1, 0], [2, 3]], "give [names[n] for n in row]"),
    ("entities", np.array([[1, 0, 2], [2, 3, 1]]), "give [names[n] for n in row]"),
    ("entities", [1, 0, 2], "give [names[n] for n in row]"),
    ("entities", [{"tokens": ["a"], "ner_tags": [1]}], "give [names[n] for n in row]"),
    ("entities", [{"tokens": ["a", "b"], "ner_tags": ["O"]}], "found 1 tags for 2 tokens"),
    ("entities", [("PER", 0, 2)], "make (first, last + 1, label)"),
    ("entities", [[(0, 2, "PER")], [(3, 4, "LOC")]], "several documents are a dict"),
    ("entities", [(0.5, 2.5, "PER")], "(start, end, label)"),
    ("entities", [(3, 3, "PER")], "ends='inclusive'"),
    ("entities", {"PER": [(0, 2)]}, "(start, end, label)"),
    ("entities", ["PER", "O"], "expected O or a prefix"),
    ("entities", [("B-52", "B-MISC"), ("O", "O")], "words that look like tags"),
    ("entities", ["O", (0, 2, "PER")], "items are all tags, or all entities"),
    ("entities", [{"word": "Ann", "ent": "B-PER"}], "rename the columns"),
    ("entities", None, "expected entities"),
    ("tagging", [["D", "N"], ["A", "B"]], "two strings are a word and its tag as ('le', 'D')"),
    ("tagging", np.array([["D", "N"], ["A", "B"]]), "two strings are a word and its tag as ('le', 'D')"),
    ("tagging", np.array([0, 1]), "give [names[n] for n in row]"),
    ("tagging", [[0, 1, 2], [1]], "give [names[n] for n in row]"),
    ("tagging", [("le", "N", "D")], "a word and its tag are a pair"),
    ("tagging", ["le chat dort"], "a text is no tag"),
    ("tagging", [{"form": "le", "pos": "D"}], "rename the one that holds the tags"),
    ("tagging", [{"form": "le", "tag": 3}], "give [names[n] for n in row]"),
    ("tagging", {"words": ["a", "b"], "tags": ["N"]}, "expected as many tags as words"),
    ("tagging", {"tokens": ["a"], "pos_tags": [1]}, "give [names[n] for n in row]"),
    ("tagging", [("le", "D"), "chat"], "expected words with tags"),
    ("tagging", 3, "expected words with tags"),
    ("speech", [["a b", "c"]], "a list of texts is ['good morning', 'two']"),
    ("speech", [1, 2], "decode numbers first"),
    ("speech", np.array([[1, 2]]), "decode numbers first"),
    ("speech", [b"a b"], "decode bytes first"),
    ("speech", [None], "write '' where nothing was said"),
    ("speech", [float("nan")], "write '' where nothing was said"),
    ("speech", {"a": 1}, "decode numbers first"),
    ("speech", {"text": ["a b", "c d"]}, "several texts are a list of texts"),
    ("speech", [{"transcription": "a b"}], "[row['transcription'] for row in rows]"),
    ("speech", [[["a"]]], "a text or a list of words"),
    ("speech", 3, "expected texts"),
    ("anaphora", ["ab", "cd"], "expected anaphors with antecedents"),
    ("anaphora", [(1, 2, 3)], "chains are given beside"),
    ("anaphora", [[1, 2], [3, 4, 5]], "chains are given beside"),
    ("anaphora", np.array([1, 2]), "expected anaphors with antecedents"),
    ("anaphora", {"he": (0, 1)}, "write [0, 1] for two antecedents"),
    ("anaphora", {"he": [], "it": []}, "write None for a mention that is not anaphoric"),
    ("anaphora", {"he": {"Ann": 1}, "it": None}, "an antecedent of 'he'"),
    ("anaphora", {1.5: "Ann"}, "an anaphor (a name, a number or (start, end))"),
    ("anaphora", 3, "expected anaphors with antecedents"),
]  # fmt: skip


@pytest.mark.parametrize(("task", "argument", "text"), WRONG, ids=lambda value: str(value)[:40])
def test_other_shapes_are_refused(task: str, argument: Any, text: str) -> None:
    """Also where both sides have the wrong shape, which once scored 100."""
    calls = [lambda: aune.score(task, argument, argument), lambda: aune.accumulate(task).add(argument, argument)]
    if "two strings" in text:
        calls = calls[:1]  # for an accumulator, these are two sentences of two tags
    for call in calls:
        with pytest.raises(aune.UsageError) as error:
            call()
        assert text in str(error.value), str(error.value)
        assert "expected" in str(error.value)


UNEQUAL = [
    ("speech", ["a b", "c"], ["a b"]),
    ("coref", [{"clusters": CHAINS}] * 2, [{"clusters": CHAINS}]),
    ("entities", TAGS, TAGS[:1]),
    ("entities", TAGS, [TAGS[0][:2], TAGS[1]]),
    ("entities", TAGS, [[*TAGS[0], *TAGS[1]]]),
    ("entities", TAGS[0], TAGS[0][:2]),
    ("entities", [{"tokens": ["a"], "ner_tags": ["O"]}] * 3, [{"tokens": ["a"], "ner_tags": ["O"]}] * 2),
    ("tagging", [["D", "N", "V"], ["V"]], [["D", "N", "V"]]),
    ("tagging", [["D", "N", "V"], ["V"]], [["D", "N"], ["V", "V"], []]),
    ("tagging", ["D", "N", "V"], ["D", "N", "V", "V"]),
    ("tagging", [("le", "D"), ("chat", "N"), ("dort", "V")], ["D", "N"]),
    ("anaphora", [{"he": "Ann"}, {"it": "sun"}], [{"he": "Ann"}]),
]


@pytest.mark.parametrize(("task", "key", "response"), UNEQUAL)
def test_lists_of_unequal_length_are_refused(task: str, key: Any, response: Any) -> None:
    for first, other in ((key, response), (response, key)):
        with pytest.raises(aune.UsageError, match=r"found .* expected (as many|lists of the same length)"):
            aune.score(task, first, other)
        with pytest.raises(aune.UsageError, match=r"found .* expected (as many|lists of the same length)"):
            aune.accumulate(task).add(first, other)


def test_two_documents_of_one_name_are_refused() -> None:
    rows = [{"id": "a", "text": "one"}, {"id": "a", "text": "two"}]
    with pytest.raises(aune.InputError, match="found document 'a' a second time"):
        aune.score("speech", rows, rows)


def frames(library: str) -> Callable[..., Any]:
    return pytest.importorskip(library).DataFrame  # type: ignore[no-any-return]


def same(task: str, usual: tuple[Any, Any], other: tuple[Any, Any]) -> None:
    """The numbers of two ways to say the same thing."""
    expected, found = (aune.score(task, *sides) for sides in (usual, other))
    assert [item.values for item in found] == [item.values for item in expected]
    assert any(0 < (value or 0) < 1 for item in found for value in item.values.values()), (
        "an example that tells nothing"
    )


@pytest.mark.parametrize(
    "shape",
    [
        lambda chains: [{"clusters": chains}],
        lambda chains: {"clusters": chains, "doc_key": "x"},
        lambda chains: {"x": {"clusters": chains}},
        lambda chains: [[list(span) for span in chain] for chain in chains],
        lambda chains: tuple(frozenset(chain) for chain in chains),
        np.array,
        lambda chains: [{"clusters": chains, "sentences": [["a"] * 5, ["b"] * 5]}],
        lambda chains: [{"start": s, "end": e, "chain": n} for n, chain in enumerate(chains) for s, e in chain],
    ],
)
def test_chains(shape: Callable[[Any], Any]) -> None:
    same("coref", (CHAINS, OTHERS), (shape(CHAINS), shape(OTHERS)))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_chains_in_frames(library: str) -> None:
    frame = frames(library)

    def table(chains: Any) -> Any:
        rows = [
            {"document": name, "start": start, "end": end, "chain": f"{name}{number}"}
            for name in ("a", "b")
            for number, chain in enumerate(chains)
            for start, end in chain
        ]
        return frame(rows)

    same("coref", ({"a": CHAINS, "b": CHAINS}, {"a": OTHERS, "b": OTHERS}), (table(CHAINS), table(OTHERS)))


def test_ends_that_are_the_last_token() -> None:
    def closed_spans(chains: Any) -> Any:
        return [[(start, end - 1) for start, end in chain] for chain in chains]

    result = aune.score("coref", closed_spans(CHAINS), closed_spans(OTHERS), ends="inclusive")
    assert [item.values for item in result] == [item.values for item in aune.score("coref", CHAINS, OTHERS)]
    assert "|ends:inclusive|" in str(result.scores[0].signature)
    assert "ends" not in str(aune.score("coref", CHAINS, OTHERS).scores[0].signature)


WORDS = [["Laurent", "Blanc", "joue"], ["Paris"]]


@pytest.mark.parametrize(
    "shape",
    [
        lambda tags: tuple(map(tuple, tags)),
        lambda tags: [np.array(sentence) for sentence in tags],
        lambda tags: [list(zip(words, own_tags, strict=True)) for words, own_tags in zip(WORDS, tags, strict=True)],
        lambda tags: [
            {"sentence": n, "word": word, "tag": tag}
            for n, (words, own_tags) in enumerate(zip(WORDS, tags, strict=True))
            for word, tag in zip(words, own_tags, strict=True)
        ],
        lambda tags: [{"tokens": w, "ner_tags": own_tags} for w, own_tags in zip(WORDS, tags, strict=True)],
        lambda tags: {"1": tags[0], "2": tags[1]},
    ],
)
def test_tags_of_entities(shape: Callable[[Any], Any]) -> None:
    same("entities", (TAGS, GUESSED), (shape(TAGS), shape(GUESSED)))


def test_words_with_tags_of_entities() -> None:
    pairs = [("EU", "B-ORG"), ("rejects", "O"), ("German", "B-MISC"), ("call", "O")]
    same(
        "entities",
        (["B-ORG", "O", "B-MISC", "O"], ["O", "O", "B-MISC", "O"]),
        (pairs, [("EU", "O"), *pairs[1:]]),
    )
    same("entities", (pairs, [("EU", "O"), *pairs[1:]]), ([list(pair) for pair in pairs], [("EU", "O"), *pairs[1:]]))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_entities_in_frames(library: str) -> None:
    frame = frames(library)
    key, response = [(0, 2, "PER"), (3, 4, "LOC")], [(0, 1, "PER"), (3, 4, "LOC")]
    tables = [frame([{"start": s, "end": e, "label": label} for s, e, label in side]) for side in (key, response)]
    same("entities", (key, response), (tables[0], tables[1]))


def test_dicts_of_nervaluate_give_its_numbers() -> None:
    """Ends are last tokens there: two entities that share one token overlap."""
    nervaluate = pytest.importorskip("nervaluate")
    true = [
        [{"label": "PER", "start": 2, "end": 4}],
        [{"label": "LOC", "start": 1, "end": 2}, {"label": "LOC", "start": 3, "end": 4}],
        [{"label": "ORG", "start": 0, "end": 0}],
    ]
    guessed = [
        [{"label": "PER", "start": 4, "end": 5}],
        [{"label": "LOC", "start": 1, "end": 2}, {"label": "ORG", "start": 3, "end": 4}],
        [],
    ]
    rival_overall = nervaluate.Evaluator(true, guessed, tags=["LOC", "PER", "ORG"]).evaluate()["overall"]
    for schema in ("strict", "exact", "partial", "ent_type"):
        name = {"ent_type": "type"}.get(schema, schema)
        ours = aune.score("entities", true, guessed, measures=[f"muc(schema={name})"]).scores[0]
        assert (ours["precision"], ours["recall"]) == pytest.approx(
            (rival_overall[schema].precision, rival_overall[schema].recall)
        )


UD = [[("le", "D"), ("chat", "N"), ("dort", "V")], [("Il", "P"), ("ronfle", "V")]]
TAGGED = [[("le", "D"), ("chat", "V"), ("dort", "V")], [("Il", "P"), ("ronfle", "V")]]


@pytest.mark.parametrize(
    "shape",
    [
        lambda sentences: [pair for sentence in sentences for pair in sentence],
        lambda sentences: [[tag for _, tag in sentence] for sentence in sentences],
        lambda sentences: np.array([tag for sentence in sentences for _, tag in sentence]),
        lambda sentences: [tag for sentence in sentences for _, tag in sentence],
        lambda sentences: [[{"form": word, "tag": tag} for word, tag in sentence] for sentence in sentences],
        lambda sentences: [
            {"sentence": number, "word": word, "tag": tag}
            for number, sentence in enumerate(sentences)
            for word, tag in sentence
        ],
        lambda sentences: [{"tokens": [w for w, _ in s], "pos_tags": [t for _, t in s]} for s in sentences],
    ],
)
def test_tags_of_words(shape: Callable[[Any], Any]) -> None:
    same("tagging", (UD, TAGGED), (shape(UD), shape(TAGGED)))


def test_tags_alone_against_words_with_tags() -> None:
    bare = [[tag for _, tag in sentence] for sentence in TAGGED]
    same("tagging", (UD, TAGGED), (UD, bare))
    same("tagging", (UD, TAGGED), ([[tag for _, tag in sentence] for sentence in UD], TAGGED))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_tags_in_frames(library: str) -> None:
    frame = frames(library)
    tables = [
        frame([{"doc": "a", "word": word, "tag": tag} for sentence in side for word, tag in sentence])
        for side in (UD, TAGGED)
    ]
    same("tagging", (UD, TAGGED), (tables[0], tables[1]))


TEXTS, HEARD = ["good morning", "two three four"], ["good mourning", "two four"]


@pytest.mark.parametrize(
    "shape",
    [
        np.array,
        lambda texts: [text.split() for text in texts],
        tuple,
        lambda texts: {"a": texts[0], "b": texts[1].split()},
        lambda texts: [{"text": text} for text in texts],
        lambda texts: [{"id": f"u{n}", "words": text.split()} for n, text in enumerate(texts)],
        lambda texts: (text for text in texts),
    ],
)
def test_texts(shape: Callable[[Any], Any]) -> None:
    same("speech", (TEXTS, HEARD), (shape(TEXTS), shape(HEARD)))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_texts_in_frames(library: str) -> None:
    module = pytest.importorskip(library)
    same("speech", (TEXTS, HEARD), (module.DataFrame({"text": TEXTS}), module.DataFrame({"text": HEARD})))
    same("speech", (TEXTS, HEARD), (module.Series(TEXTS), module.Series(HEARD)))


PAIRS, FOUND = {"he": "Ann", "it": ["sun", "star"], "there": None}, {"he": "Bob", "it": "sun", "there": None}


@pytest.mark.parametrize(
    "shape",
    [
        lambda pairs: list(pairs.items()),
        lambda pairs: {"anaphors": pairs},
        lambda pairs: [pairs],
        lambda pairs: {"x": pairs},
        lambda pairs: [list(pairs.items())],
    ],
)
def test_anaphors(shape: Callable[[Any], Any]) -> None:
    same("anaphora", (PAIRS, FOUND), (shape(PAIRS), shape(FOUND)))


def test_anaphors_by_their_places() -> None:
    key = [((5, 6), (0, 2)), ((8, 9), [(0, 2), (3, 4)]), ((9, 10), (3, 4))]
    response = {(5, 6): (0, 2), (8, 9): (3, 4), (9, 10): (0, 2)}
    named = {"5": "0-1", "8": ["0-1", "3"], "9": "3"}, {"5": "0-1", "8": "3", "9": "0-1"}
    same("anaphora", named, (key, response))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_anaphors_in_frames(library: str) -> None:
    frame = frames(library)
    key, response = {"a": {"he": "Ann"}, "b": {"it": "sun"}}, {"a": {"he": "Ann"}, "b": {"it": "moon"}}
    tables = [
        frame(
            [
                {"document": n, "anaphor": a, "antecedent": x}
                for n, own_part in side.items()
                for a, x in own_part.items()
            ]
        )
        for side in (key, response)
    ]
    same("anaphora", (key, response), (tables[0], tables[1]))


# spaCy's documents, with the real package.


@pytest.fixture(scope="module")
def spacy() -> Any:
    return pytest.importorskip("spacy")


def entity_doc(spacy: Any, places: Any) -> Any:
    doc = spacy.blank("en")("Laurent Blanc plays in Paris")
    doc.ents = [spacy.tokens.Span(doc, start, end, label) for start, end, label in places]
    return doc


def test_docs_with_entities(spacy: Any) -> None:
    key, response = [(0, 2, "PER"), (4, 5, "LOC")], [(0, 1, "PER"), (4, 5, "LOC")]
    docs = entity_doc(spacy, key), entity_doc(spacy, response)
    same("entities", (key, response), ([docs[0]], [docs[1]]))
    same("entities", (key, response), (docs[0], {"x": docs[1]}))
    grouped = spacy.blank("en")("Laurent Blanc plays in Paris")
    grouped.spans["sc"] = [spacy.tokens.Span(grouped, *place) for place in response]
    same("entities", (key, response), ([docs[0]], [grouped]))
    docs[0].spans["sc"] = [docs[0][0:1]]
    with pytest.raises(aune.UsageError, match=r"found entities in doc\.ents and in doc\.spans\['sc'\], expected one"):
        aune.score("entities", [docs[0]], [docs[1]])


def test_docs_with_chains(spacy: Any) -> None:
    def doc(chains: Any) -> Any:
        made = spacy.blank("en")("Ann saw Bob and he saw her then")
        for number, chain in enumerate(chains, 1):
            made.spans[f"coref_clusters_{number}"] = [made[start:end] for start, end in chain]
        return made

    same("coref", (CHAINS, OTHERS), ([doc(CHAINS)], [doc(OTHERS)]))
    with pytest.raises(aune.UsageError, match=r"without chains, expected groups of spans such as doc\.spans"):
        aune.score("coref", [doc([])], [doc([])])


def test_docs_with_tags(spacy: Any) -> None:
    language = spacy.blank("fr")
    words = ["Le", "chat", "dort", ".", "Il", "ronfle"]
    tags = ["DET", "NOUN", "VERB", "PUNCT", "PRON", "VERB"]
    heads, relations = [1, 2, 2, 2, 5, 5], ["det", "nsubj", "ROOT", "punct", "nsubj", "ROOT"]

    def doc(pos: list[str], heads: list[int]) -> Any:
        starts = [True, False, False, False, True, False]
        return spacy.tokens.Doc(
            language.vocab, words=words, pos=pos, lemmas=[word.lower() for word in words], heads=heads,
            deps=relations, sent_starts=None if heads else starts,
        )  # fmt: skip

    def rows(pos: list[str], heads: list[int]) -> Any:
        """A dict per word, heads counted from 1 in the sentence."""
        made = [
            {"form": word, "upos": tag, "lemma": word.lower(), "deprel": relation.lower(),
             "head": 0 if relation == "ROOT" else head - (4 if place > 3 else 0) + 1}
            for place, (word, tag, head, relation) in enumerate(zip(words, pos, heads, relations, strict=True))
        ]  # fmt: skip
        return {"x": [made[:4], made[4:]]}

    guess, other = ["DET", "NOUN", "NOUN", "PUNCT", "PRON", "VERB"], [2, 2, 2, 2, 5, 5]
    same("tagging", (rows(tags, heads), rows(guess, other)), ([doc(tags, heads)], [doc(guess, other)]))
    with pytest.raises(aune.UsageError, match="whose words have no tags"):
        aune.score("tagging", [language("le chat")], [language("le chat")])


def test_docs_are_no_transcripts(spacy: Any) -> None:
    doc = spacy.blank("en")("good morning")
    with pytest.raises(aune.UsageError, match=r"give \[doc\.text for doc in docs\]"):
        aune.score("speech", [doc], [doc])


# Anything at all.

LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 5), st.floats(), st.binary(max_size=2),
    st.sampled_from(["a", "b c", "", "B-PER", "O", "I-", "1-2", "N|V", "_"]),
)  # fmt: skip
FIELDS = [
    "clusters", "predicted_clusters", "start", "end", "label", "chain", "tokens", "ner_tags", "words", "tags", "text",
    "spans", "id", "form", "word", "tag", "upos", "head", "anaphors", "anaphor", "antecedent", "chains", "kinds",
    "candidates", "attributes", "times", "entities", "sentence", "sentences", "document", "compounds",
]  # fmt: skip
ANYTHING = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.tuples(inner, inner),
        st.tuples(inner, inner, inner),
        st.dictionaries(st.one_of(st.sampled_from(FIELDS), st.integers(0, 3)), inner, max_size=4),
    ),
    max_leaves=8,
)
RECORDS = st.lists(
    st.dictionaries(st.sampled_from(FIELDS), ANYTHING | st.lists(st.sampled_from(["a", "B-PER", "O"])), max_size=6),
    min_size=1,
    max_size=2,
)
SHAPES = st.one_of(ANYTHING, RECORDS, RECORDS.map(lambda rows: rows[0]), RECORDS.map(lambda rows: {"d": rows[0]}))


@pytest.mark.parametrize("task", ["coref", "entities", "tagging", "speech", "anaphora"])
@settings(max_examples=60)
@given(SHAPES, SHAPES)
def test_nothing_but_plain_words_is_said_of_anything(task: str, key: Any, response: Any) -> None:
    """Scored, or refused as our own error: never another exception."""
    if isinstance(key, str | bytes) or isinstance(response, str | bytes):
        return  # a path
    for first, other in ((key, key), (key, response)):
        with contextlib.suppress(aune.AuneError):
            aune.score(task, first, other)
