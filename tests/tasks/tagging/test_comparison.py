"""Cases against a slow second implementation, and the policies for compounds, tables and aspects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aune import evaluate, score
from aune.contract import registry
from aune.contract.measure import flatten
from aune.contract.options import OptionFile
from aune.errors import UsageError
from aune.tasks.tagging.comparison import compare
from aune.tasks.tagging.model import documents
from aune.tasks.tagging.notes import comparison_notes

TABLE = {"n": ("N",), "v": ("V",), "nv": ("N", "V"), "d": ("D", "P"), "odd": ()}


def words(forms: str) -> list[str]:
    return forms.split()


def column_found(keys: Sequence[Any]) -> dict[str, Any]:
    """The column that a comparison of a key with itself finds."""
    return dict(compare([(key, key) for key in keys]).signed)


KEYS = st.lists(st.lists(st.sampled_from("NVDP"), min_size=1, max_size=2, unique=True), min_size=1, max_size=8)
GIVEN = st.lists(st.sampled_from(["n", "v", "nv", "d", "odd"]), min_size=1, max_size=2, unique=True)


def grace(key: list[list[str]], response: list[list[str]]) -> list[Fraction]:
    """The seven quantities, word by word, with fractions and sets."""
    noneval = ok = err = sil_ok = sil_err = 0
    mean = Fraction(0)
    for accepted, given_tags in zip(key, response, strict=True):
        tags = {pivot for tag in given_tags for pivot in TABLE[tag]}
        right = tags & set(accepted)
        if not tags:
            noneval += 1
        elif len(tags) == 1:
            ok, err = (ok + 1, err) if right else (ok, err + 1)
        else:
            sil_ok += right == tags
            sil_err += not right
            mean += Fraction(len(right), len(tags))
    return [Fraction(number) for number in (len(key), noneval, ok, err, sil_ok, sil_err)] + [mean]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("table") / "table.tsv"
    path.write_text("".join(f"{tag}\t{'|'.join(right)}\n" for tag, right in TABLE.items() if right))
    return str(path)


@given(st.data())
def test_the_seven_quantities(table: str, data: st.DataObject) -> None:
    key = data.draw(KEYS)
    response = data.draw(st.lists(GIVEN, min_size=len(key), max_size=len(key)))
    forms = [f"w{index}" for index in range(len(key))]
    found = score(
        "tagging",
        list(zip(forms, key, strict=True)),
        list(zip(forms, response, strict=True)),
        table=table,
        measures=["precision_decision"],
    )["precision_decision"]
    expected = grace(key, response)
    assert [found.counts[name] for name in found.counts] == pytest.approx([float(number) for number in expected])


COMPOUND = {"words": words("par exemple la mer"), "tags": ["S", "N", "D", "N"], "compounds": [[0, 2, "R"]]}


def quantities(key: Any, response: Any, **options: Any) -> list[float]:
    counts = score("tagging", key, response, measures=["precision_decision"], **options)["precision_decision"].counts
    return [counts[name] for name in ("cases", "noneval", "ok", "err")]


@pytest.mark.parametrize(
    ("response", "policy", "expected"),
    [
        ([("parexemple", "R"), ("la", "D"), ("mer", "N")], "marking", [4, 0, 4, 0]),
        ([("parexemple", "N"), ("la", "D"), ("mer", "N")], "marking", [4, 0, 2, 2]),
        ([("par", "S"), ("exemple", "N"), ("la", "D"), ("mer", "N")], "marking", [4, 0, 4, 0]),
        ([("par", "R"), ("exemple", "R"), ("la", "D"), ("mer", "N")], "marking", [4, 0, 2, 2]),
        ([("parexemple", "R"), ("lamer", "N")], "marking", [4, 2, 2, 0]),
        ([("parexemple", "R"), ("lamer", "N")], "parts", [4, 0, 3, 1]),
        ([("parexemple", "R"), ("lamer", "N")], "ignore", [4, 4, 0, 0]),
        ([("parex", "R"), ("emple", "N"), ("la", "D"), ("mer", "N")], "parts", [4, 2, 2, 0]),
    ],
)
def test_compounds(response: list[tuple[str, str]], policy: str, expected: list[int]) -> None:
    assert quantities(COMPOUND, response, compounds=policy) == expected


def test_compounds_in_the_relative_evaluation_count_the_responses_units() -> None:
    response = [("parexemple", "R"), ("la", "P"), ("mer", "N")]
    assert quantities(COMPOUND, response, evaluation="relative") == [3, 0, 2, 1]
    assert quantities(COMPOUND, [("parexemple", "R"), ("lamer", "N")], evaluation="relative", compounds="parts") == [
        2,
        1,
        1,
        0,
    ]


def test_the_policies_are_in_the_signature() -> None:
    signature = score("tagging", [("a", "N")], [("a", "N")], compounds="parts").scores[0].signature
    assert signature.options["compounds"] == "parts" and signature.options["cases"] == "words"
    assert signature.options["evaluation"] == "absolute" and signature.options["unlisted"] == "drop"


def test_minimal_segments_as_cases() -> None:
    key = [("là-bas", "R"), ("l'", "D"), ("eau", "N")]
    assert quantities(key, key, cases="minimal") == [4, 0, 4, 0], "hyphen and apostrophe separate, and are no units"
    assert quantities(key, [("là", "R"), ("-bas", "R"), ("l'", "D"), ("eau", "V")], cases="minimal") == [4, 2, 1, 1]
    assert quantities([("...", "F")], [("...", "F")], cases="minimal") == [1, 0, 1, 0]


@given(st.lists(st.text("ab-'.", min_size=1, max_size=6), min_size=1, max_size=6))
def test_minimal_segments_letter_by_letter(forms: list[str]) -> None:
    """§2: every run of letters is a unit; what has none is one unit of its own."""
    runs = [sum(a not in "-'." and b in "-'." for a, b in pairwise(f"{form}.")) or 1 for form in forms]
    text = [(form, "X") for form in forms]
    assert quantities(text, text, cases="minimal") == [sum(runs), 0, sum(runs), 0]


@given(st.lists(st.booleans(), min_size=1, max_size=12))
def test_as_many_are_left_out_as_have_another_word(changed: list[bool]) -> None:
    """Words of other letters in the place of some, none of which may be taken for what was asked for."""
    key = [(f"mot{place}", "N") for place in range(len(changed))]
    response = [("zébu" if other else form, tag) for (form, tag), other in zip(key, changed, strict=True)]
    assert quantities(key, response) == [len(key), sum(changed), len(key) - sum(changed), 0]


def test_tags_without_an_entry(table: str) -> None:
    key, response = [("a", "N"), ("b", "V")], [("a", "n|?"), ("b", "?")]
    result = score("tagging", key, response, table=table, measures=["precision_decision"])
    assert result["precision_decision"].counts["noneval"] == 1 and result["precision_decision"].counts["ok"] == 1
    assert "tags without an entry, left out of the alternatives: ? 2×" in result.warnings[0]
    assert quantities([("a", "N"), ("b", "V")], [("a", "n"), ("b", "V")], table=table, unlisted="keep") == [2, 0, 2, 0]


def test_a_table_for_the_key(table: str) -> None:
    assert quantities([("a", "n"), ("b", "nv")], [("a", "N"), ("b", "V")], key_table=table) == [2, 0, 2, 0]


def test_levels() -> None:
    key = [("le", "Da-ms-d"), ("chat", "Ncms"), ("dort", "Vmip3s-"), (".", "F")]
    response = [("le", "Da-fs-d"), ("chat", "Npms"), ("dort", "Ncms"), (".", "F")]
    assert quantities(key, response, tagset="grace", aspect="category") == [4, 0, 3, 1]
    assert quantities(key, response, tagset="grace", aspect="gender") == [3, 0, 1, 2], "what has no gender is no case"
    with pytest.raises(UsageError, match="name it with tagset"):
        quantities(key, response, aspect="gender")
    with pytest.raises(UsageError, match="expected one of tag, category, type"):
        quantities(key, response, tagset="grace", aspect="colour")


def test_level_on_universal_features() -> None:
    key = [{"form": "a", "feats": "Gender=Fem|Number=Sing"}, {"form": "b", "feats": "Number=Sing"}]
    response = [{"form": "a", "feats": "Gender=Fem|Number=Plur"}, {"form": "b", "feats": "Gender=Fem"}]
    assert quantities(key, response, column="feats", aspect="Gender") == [1, 0, 1, 0]


def test_short_positional_tags_are_filled_up() -> None:
    assert quantities([("a", "Vmpp")], [("a", "Vmpp---")], tagset="grace") == [1, 0, 1, 0]
    assert quantities([("a", "Vmpp")], [("a", "Vmpp---")]) == [1, 0, 0, 1]


def test_known_and_unknown_words(tmp_path: Path) -> None:
    path = tmp_path / "lexicon.txt"
    path.write_text("le\nchat\n")
    key = [("Le", "D"), ("chat", "N"), ("ronronne", "V")]
    result = score("tagging", key, [*key[:2], ("ronronne", "N")], lexicon=str(path), measures=["accuracy"])
    by = result["accuracy"].by("word")
    assert by["known"]["accuracy"] == 1.0 and by["unknown"]["accuracy"] == 0.0


def test_a_column_that_is_not_there() -> None:
    with pytest.raises(UsageError, match="column='xpos': the key has only tag"):
        quantities([("a", "N")], [("a", "N")], column="xpos")


def test_units() -> None:
    key = {
        "a": {"words": words("x y z"), "tags": ["N", "V", "N"], "sentences": [0, 2], "attributes": {"genre": "g"}},
        "b": [("x", "N")],
    }
    result = score("tagging", key, {"a": [("x", "N"), ("y", "V"), ("z", "V")], "b": []}, tagset="upos")
    accuracy = result["accuracy"]
    assert {name: value["accuracy"] for name, value in accuracy.by("sentence").items()} == {
        "a:1": 1.0,
        "a:2": 0.0,
        "b:1": 0.0,
    }
    assert accuracy.by("genre")["g"]["accuracy"] == pytest.approx(2 / 3)
    assert set(accuracy.rows.attributes) == {"document", "genre", "sentence", "tag", "category"}


def test_a_document_without_words_still_has_a_row() -> None:
    comparison = compare(list(zip(documents({"a": []}), documents({"a": []}), strict=True)))
    assert list(comparison.units["document"]) == ["a"]


PARTS = {"words": words("par exemple la mer"), "tags": ["S", "N", "D", "N"]}


@pytest.mark.parametrize(
    ("key", "response", "expected", "text"),
    [
        (COMPOUND, COMPOUND, [4, 0, 4, 0], "1 are evaluated as units"),
        (COMPOUND, {**COMPOUND, "compounds": [[0, 2, "X"]]}, [4, 0, 2, 2], "1 are evaluated as units"),
        (COMPOUND, {**COMPOUND, "compounds": [[2, 4, "X"]]}, [4, 0, 4, 0], "the words of 1 one by one"),
        (PARTS, COMPOUND, [4, 0, 4, 0], "the words of 1 one by one"),
        ([("par exemple", "R"), ("la", "D"), ("mer", "N")], COMPOUND, [3, 0, 3, 0], "1 are evaluated as units"),
    ],
)
def test_a_response_that_marks_compounds_itself(key: Any, response: Any, expected: list[int], text: str) -> None:
    assert quantities(key, response) == expected
    result = score("tagging", key, response, measures=["precision_decision"])
    assert any("marks 1 compounds" in warning and text in warning for warning in result.warnings)


def test_marked_compounds_are_units_in_the_relative_evaluation() -> None:
    assert quantities(COMPOUND, {**COMPOUND, "tags": ["X", "X", "D", "V"]}, evaluation="relative") == [3, 0, 2, 1]


def test_a_compound_tagged_like_its_words_is_evaluated_in_both_ways() -> None:
    key = {"words": ["tout", "doucement"], "tags": ["R", "R"], "compounds": [[0, 2, "R"]]}
    for evaluation, cases in (("absolute", 2), ("relative", 1)):
        counts = score("tagging", key, [("tout_doucement", "R")], evaluation=evaluation).scores[0].counts
        assert (counts["cases"], counts["noneval"], counts["ok"]) == (cases, 0, cases)


def test_wildcards_in_a_table_for_the_key(tmp_path: Path) -> None:
    path = tmp_path / "key.tsv"
    path.write_text("verb\tV*\nnoun\tNcms\nodd\tQ*\n")
    key = [("dort", "verb"), ("chat", "noun"), ("le", "det")]
    response = [("dort", "Vmip3s-"), ("chat", "Ncms"), ("le", "Da-ms-d")]
    result = score("tagging", key, response, measures=["precision_decision"], key_table=str(path), tagset="grace")
    assert result.scores[0].counts["ok"] == 2 and result.scores[0].counts["noneval"] == 1
    answer = "\n".join(result.warnings)
    assert "tags without an entry, left out of the alternatives: det 1×" in answer
    assert "entries never used: odd" in answer and "tags outside the pivot's: Q*" in answer


def test_a_wildcard_that_stands_for_nothing_is_told(tmp_path: Path) -> None:
    path = tmp_path / "table.tsv"
    path.write_text("# pivot = N|V\nn\tN*\nq\tQ*\n")
    result = score("tagging", [("a", "N"), ("b", "N")], [("a", "n"), ("b", "q")], table=str(path))
    assert any("tags outside the pivot's: Q*" in warning for warning in result.warnings)


def test_patterns_stand_for_tags_of_the_pivot_not_of_the_key(tmp_path: Path) -> None:
    """Over the key's own tags the error of the second word would vanish, and precision be 100 for 50."""
    path = tmp_path / "table.tsv"
    path.write_text("V\tVm*\n")
    key, response = [("a", "Vmn"), ("b", "Nc")], [("a", "V"), ("b", "V")]
    with pytest.raises(UsageError, match=r"'Vm\*' stands for tags of the pivot, which nobody lists"):
        quantities(key, response, table=str(path))
    path.write_text("# pivot = Vmn|Nc\nV\tVm*\n")
    assert quantities(key, response, table=str(path)) == [2, 0, 1, 1]
    path.write_text("# pivot = Vmn|Vmp|Nc\nV\tVm*\n")
    assert quantities(key, response, table=str(path)) == [2, 0, 0, 0], "two silences"
    toml = tmp_path / "table.toml"
    toml.write_text('pivot = ["Vmn", "Nc"]\n[table]\nV = "Vm*"\n')
    assert quantities(key, response, table=str(toml)) == [2, 0, 1, 1]


def test_words_that_are_not_evaluated_are_told() -> None:
    result = score("tagging", [("là-bas", "R"), ("il", "P")], [("là", "R"), ("-bas", "N"), ("il", "P")])
    message = (
        "response: 1 of 2 words (50.00 %) not evaluated: `aune errors tagging … --kind 'not evaluated'` lists them"
    )
    assert result.warnings == [message]
    assert not score("tagging", [("a", "N"), ("b", "V")], [("a", "V"), ("b", "V")]).warnings


def test_an_aspect_of_the_responses_own_tags_is_refused(table: str) -> None:
    with pytest.raises(UsageError, match="aspect='gender': expected evaluation='absolute'"):
        score("tagging", [("a", "Ncms")], [("a", "n")], table=table, tagset="grace", aspect="gender",
              evaluation="relative")  # fmt: skip


def test_two_tables_under_one_path_have_two_signatures(tmp_path: Path) -> None:
    path = tmp_path / "table.tsv"
    signatures = []
    for entries in ("n\tN\n", "n\tV\n", "n\tN\n"):
        path.write_text(entries)
        signatures.append(str(score("tagging", [("a", "N")], [("a", "n")], table=str(path)).scores[0].signature))
    assert signatures[0] != signatures[1] and signatures[0] == signatures[2]


def test_every_system_has_a_table_of_its_own(tmp_path: Path) -> None:
    for name, entry in {"one": "n\tN\n", "two": "n\tV\n"}.items():
        (tmp_path / f"{name}.tsv").write_text(entry)
    systems: dict[str, Any] = {"a": [("x", "n")], "b": [("x", "n")], "c": [("x", "N")]}
    tables = f"a={tmp_path / 'one.tsv'},b={tmp_path / 'two.tsv'}"
    result = evaluate("tagging", [("x", "N")], systems, measures=["precision_decision"], table=tables)
    assert [result[name, "precision_decision"].precision for name in systems] == [1.0, 0.0, 1.0]
    assert "|table:none|" in str(result["c", "precision_decision"].signature)
    with pytest.raises(UsageError, match="unknown system 'd'"):
        evaluate("tagging", [("x", "N")], systems, table="d=table.tsv")


# Nothing is decided chunk by chunk.

CELL = st.lists(st.sampled_from(["n", "v", "nv", "d", "odd", "vx"]), max_size=2, unique=True)
TEXTS = st.lists(st.lists(st.tuples(st.sampled_from(["N", "V", "D", "P", ""]), CELL), min_size=1, max_size=4),
                 min_size=1, max_size=5)  # fmt: skip


@given(TEXTS, st.sampled_from(["absolute", "relative"]), st.sampled_from(["drop", "keep"]), st.randoms())
def test_any_chunks_in_any_order_count_the_same(
    chunk_table: str, texts: Any, evaluation: str, unlisted: str, rng: Any
) -> None:
    keys = documents(
        {f"d{n}": [(f"w{i}", key or None) for i, (key, _) in enumerate(text)] for n, text in enumerate(texts)}
    )
    responses = documents(
        {f"d{n}": [(f"w{i}", cell) for i, (_, cell) in enumerate(text)] for n, text in enumerate(texts)}
    )
    pairs = list(zip(keys, responses, strict=True))
    options: dict[str, Any] = {"table": OptionFile(chunk_table), "evaluation": evaluation, "unlisted": unlisted}
    options |= column_found(keys)
    whole = compare(pairs, **options)
    rng.shuffle(pairs)
    cut = rng.randint(0, len(pairs))
    parts = [compare(part, **options) for part in (pairs[:cut], pairs[cut:]) if part]
    for name in ("precision_decision", "accuracy", "f_measure", "operating_zone", "projection"):
        count = registry.measure(f"tagging.{name}").count
        totals = [flatten(count(part)).sum(axis=0) for part in (whole, *parts)]
        assert totals[0] == pytest.approx(sum(totals[1:]))
    facts: Counter[Any] = Counter()
    for part in parts:
        facts.update(part.facts)
    assert sorted(comparison_notes(facts)) == sorted(comparison_notes(whole.facts))


@pytest.fixture(scope="module")
def chunk_table(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("chunks") / "table.tsv"
    path.write_text("# pivot = N|V|D|P\nn\tN\nnv\tN|V\nd\tD|P\nv*\tV*\n")
    return str(path)


def test_the_column_is_that_of_the_whole_key() -> None:
    """A first document without universal tags must not change what the second one is compared by."""
    keys = documents(
        {"a": [{"form": "x", "upos": "_", "xpos": "_"}], "b": [{"form": "y", "upos": "NOUN", "xpos": "n"}]}
    )
    assert column_found(keys) == {"column": "upos"}
    assert compare([(key, key) for key in keys], column="xpos").signed == {}
    result = score("tagging", keys, keys, measures=["precision_decision"])
    assert result.scores[0].signature.options["column"] == "upos" and result.scores[0].counts["cases"] == 1


def test_the_order_of_documents_and_pieces_does_not_choose_the_column(tmp_path: Path) -> None:
    """Universal tags anywhere in the key are what is compared, also where a file is read piece by piece."""
    silent = documents({"a": [{"form": "x", "upos": "_", "xpos": "n"}]})
    spoken = documents({"b": [{"form": "y", "upos": "NOUN", "xpos": "n"}]})
    for keys in ([*silent, *spoken], [*spoken, *silent]):
        assert column_found(keys) == {"column": "upos"}
    assert column_found(silent) == {"column": "xpos"}
    rest = "\tn\t_\t_\t_\t_\t_\n"
    lines = [f"# newdoc id = d{n}\n" + f"1\tw\tw\t{'_' if n < 9 else 'X'}{rest}" + "\n" for n in range(10)]
    (tmp_path / "key.conllu").write_text("".join(lines))
    files = [str(tmp_path / "key.conllu")] * 2
    result = score("tagging", *files, measures=["precision_decision"], documents="newdoc").scores[0]
    assert result.signature.options["column"] == "upos" and result.counts["cases"] == 1


def test_a_key_with_tags_in_different_columns_is_refused() -> None:
    keys = documents({"a": [("x", "N")], "b": [{"form": "y", "upos": "NOUN"}]})
    with pytest.raises(UsageError, match="column='tag': the key has only upos in document 'b'"):
        score("tagging", keys, keys)


def test_a_response_that_writes_nothing_in_the_column_is_not_evaluated() -> None:
    key = [{"form": "x", "upos": "NOUN", "xpos": "n"}, {"form": "y", "upos": "VERB", "xpos": "v"}]
    response = [{"form": "x", "upos": "_", "xpos": "n"}, {"form": "y", "upos": "_", "xpos": "v"}]
    assert quantities(key, response) == [2, 2, 0, 0], "its other column is none of our business"


# Identity as a table, and no table.

IDENTITY = "".join(f"{tag}\t{tag}\n" for tag in "NVDP")


@given(st.data(), st.sampled_from(["absolute", "relative"]))
def test_identity_as_a_table_is_no_table(identity: str, data: st.DataObject, evaluation: str) -> None:
    key = data.draw(st.lists(st.sampled_from("NVDP"), min_size=1, max_size=6))
    cell = st.lists(st.sampled_from("NVDP"), min_size=1, max_size=3, unique=True)
    response = data.draw(st.lists(cell, min_size=len(key), max_size=len(key)))
    pair = [(f"w{i}", tag) for i, tag in enumerate(key)], [(f"w{i}", tags) for i, tags in enumerate(response)]
    measures = ["precision_decision", "accuracy", "f_measure", "kappa", "operating_zone", "projection"]
    plain = score("tagging", *pair, measures=measures, evaluation=evaluation)
    projected = score("tagging", *pair, measures=measures, evaluation=evaluation, table=identity)
    for name in measures:
        assert plain[name].values == projected[name].values and plain[name].counts == projected[name].counts
    assert plain["f_measure"].by("tag") == projected["f_measure"].by("tag")


@pytest.fixture(scope="module")
def identity(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("identity") / "identity.tsv"
    path.write_text(IDENTITY)
    return str(path)


# What a system leaves out counts against it.


@given(KEYS, st.data())
def test_overall_is_never_raised_by_saying_less(key: list[list[str]], data: st.DataObject) -> None:
    cell = st.lists(st.sampled_from("NVDP"), min_size=1, max_size=3, unique=True)
    response = data.draw(st.lists(cell, min_size=len(key), max_size=len(key)))
    gone = data.draw(st.integers(0, len(key) - 1))
    forms = [3 * "abcdefgh"[i] for i in range(len(key))]
    expected = list(zip(forms, key, strict=True))
    full = list(zip(forms, response, strict=True))
    for evaluation in ("absolute", "relative"):
        values = [
            score("tagging", {"a": expected, "b": [("x", "N")]}, given_, evaluation=evaluation).scores[0]
            for given_ in (
                {"a": full, "b": [("x", "N")]},
                {"a": [*full[:gone], (forms[gone], "_"), *full[gone + 1 :]], "b": [("x", "N")]},
                {"a": [*full[:gone], *full[gone + 1 :]], "b": [("x", "N")]},
                {"a": full},
            )
        ]
        assert all(value.overall <= values[0].overall for value in values[1:])
        assert values[3].counts["cases"] == values[0].counts["cases"] and values[3].noneval > 0


def test_words_that_have_nothing_in_common_are_not_paired() -> None:
    """Edit distance puts some word in every place; another word is not the word that was asked for."""
    key = [("le", "D"), ("chat", "N"), ("dort", "V"), ("ici", "R")]
    response = [("le", "D"), ("zébu", "N"), ("dort", "V"), ("ici", "R")]
    assert quantities(key, response) == [4, 1, 3, 0]
    assert quantities(key, [("le", "D"), ("chats", "N"), ("dort", "V"), ("ici", "R")]) == [4, 0, 4, 0]
    assert quantities([("l'", "D"), ("eau", "N")], [("l’", "D"), ("eau", "N")]) == [2, 0, 2, 0]


# The relative evaluation acts on every measure.


def test_relative_evaluation_compares_in_the_responses_tags(tmp_path: Path) -> None:
    path = tmp_path / "table.tsv"
    path.write_text("nom\tNc|Np\nverbe\tV\n")
    key = [("a", "Nc"), ("b", "Np"), ("c", "V"), ("d", "Q")]
    response = [("a", "nom"), ("b", "nom"), ("c", "nom"), ("d", "nom")]
    result = score("tagging", key, response, table=str(path), evaluation="relative",
                   measures=["precision_decision", "accuracy", "f_measure", "kappa"])  # fmt: skip
    assert result["precision_decision"].counts == {
        "cases": 4, "noneval": 1, "ok": 2, "err": 1, "sil_ok": 0, "sil_err": 0, "silok_mean": 0,
    }  # fmt: skip
    assert set(result["f_measure"].by("tag")) == {"nom", "verbe", "none"}
    assert result["f_measure"].by("tag")["nom"] == {"recall": 1.0, "precision": 0.5, "f1": pytest.approx(2 / 3)}
    assert result["kappa"].kappa == 0.0, "always the same tag agrees by chance alone"
    assert any("tags of the key that no entry can express, not evaluated: Q 1×" in note for note in result.warnings)
    absolute = score("tagging", key, response, table=str(path), measures=["f_measure"])["f_measure"]
    assert set(absolute.by("tag")) == {"Nc", "Np", "V", "Q", "several"}
