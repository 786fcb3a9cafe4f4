"""Words that people guess: what they mean, or what to type instead."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import pytest
from rich.console import Console

from aune.cli import run
from aune.cli._application import HEADINGS, application, commands, options_of_task
from aune.contract import registry
from aune.tasks import ALIASES


def error_output(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What is said to a command that is refused."""
    assert run(words) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    return err.removeprefix("aune: ").rstrip("\n")


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("zones tagging key a", "zones is a command of tagging: type aune tagging zones key a"),
        ("correspond key a", "correspond is a command of coref: type aune coref correspond key a"),
        ("train atene x", "train is a command of speech: type aune speech train atene x"),
        ("ablate coref key", "ablate is a command of coref: type aune coref ablate key"),
        ("coref zones key a", "zones is a command of tagging: type aune tagging zones key a"),
        ("errors coref k a -m muc.f1", "muc.f1 is a value of the measure muc: here a measure is expected"),
        ("coref key a", "coref is a task and no command: to score, type aune score coref key a"),
        ("ner key a", "ner is a task and no command: to score, type aune score entities key a"),
        ("anaphora", "anaphora is a task and no command: to score, type aune score anaphora KEY RESPONSE"),
        ("score coref k a --metric muc", "unknown option --metric: did you mean --measures?"),
        ("score coref k a --singelton keep", "unknown option --singelton: did you mean --singletons?"),
        ("score coref k a --singelton", "unknown option --singelton: did you mean --singletons?"),
        ("errors coref k a --ouput x", "unknown option --ouput: did you mean --output?"),
        ("validate coref k --foo x", "unknown option --foo: see aune validate --help"),
        ("validate coref k --foo", "unknown option --foo: see aune validate --help"),
        ("score coref k a -v", "unknown option -v: see aune score --help"),
        ("report coref k a --json", "unknown option --json: here nothing is printed that could be JSON; aune score"),
        ("score ner k a -m wer", "wer is a measure of speech: entities has"),
        ("score ners k a", "unknown task 'ners': did you mean 'ner'?"),
        ("explain muc --foo", "unknown option --foo: see aune explain --help"),
        ("score ner k a -m f2", "unknown entities measure 'f2': write f_measure(beta=2)"),
        ("score ner k a -m F0.5", "unknown entities measure 'F0.5': write f_measure(beta=0.5)"),
        ("score coref k a -m precision", "precision is a value of "),
        ("score ner k a -m precision", "precision is a value of f_measure, muc: write f_measure.precision"),
        ("scor coref k a", "unknown command scor: did you mean aune score?"),
        ("campaign nw", "unknown command nw: did you mean aune campaign new?"),
        ("xyz", "unknown command xyz: see aune --help"),
        ("evaluate coref k a", "unknown command evaluate: did you mean aune score?"),
        ("version", "unknown command version: type aune --version"),
        ("help scores", "unknown command scores: did you mean aune score?"),
        ("-v", "unknown option -v: see aune --help"),
        ("score ner --key k --response a", "unknown option --key: files stand in their places: aune score TASK KEY"),
        ("score ner k a --latex", "unknown option --latex: did you mean --format latex?"),
        ("score ner k a -f tex", "unknown output format 'tex': did you mean 'latex'?"),
        ("score asr k a --lowercase", "unknown option --lowercase: did you mean --normalise?"),
        ("score wer k a", "wer is a measure of speech: write speech here, and -m wer"),
        ("score b3 k a", "b3 is a measure of coref: write coref here, and -m b3"),
        ("score coref k a -m f1", "f1 is a value of b_cubed, "),
        ("score ner k a -m macro_f1", "unknown entities measure 'macro_f1': write macro(f_measure, by=ATTRIBUTE)"),
        ("score ner k a -m micro-F1", "unknown entities measure 'micro-F1': write f_measure, it is that"),
        ("errors coref k", "expected RESPONSE: aune errors TASK KEY RESPONSE"),
        ("figure", "expected NAME: aune figure NAME INPUTS…"),
        ("speech train atene", "expected --output: aune speech train atene --help tells more"),
        ("tagging zones k a --foo x", "unknown option --foo: see aune tagging zones --help"),
    ],
)
def test_what_to_type_instead(words: str, answer: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert error_output(capsys, *words.split()).startswith(answer)


@pytest.mark.parametrize("words", [words for words, _ in commands()], ids=" ".join)
def test_every_command_refuses_what_it_does_not_know(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """Before any file is looked for: none of those named is there."""
    assert "unknown option --no-such-option" in error_output(capsys, *words, "coref", "no-key", "--no-such-option", "x")


def test_every_command_has_its_heading_and_its_help_fits() -> None:
    def show_help(words: Sequence[str]) -> str:
        screen = Console(file=io.StringIO(), width=80)
        application().help_print(words, console=screen)
        return screen.file.getvalue()  # type: ignore[attr-defined,no-any-return]

    shown = [heading for heading in HEADINGS if heading != "Together"]
    text = show_help([])
    places = [text.index(f"─ {heading} ─") for heading in shown]
    assert places == sorted(places)
    for words, _ in commands():
        lines = show_help(words).splitlines()
        assert max(map(len, lines)) <= 80, words
        assert len(lines) > 3, words


def test_tasks_answer_to_the_names_people_give_them() -> None:
    assert [registry.task(name).name for name in ("ner", "NER", "asr", "pos", "coreference")] == [
        "entities", "entities", "speech", "tagging", "coref",
    ]  # fmt: skip


def test_an_alias_means_one_thing() -> None:
    tasks = [alias for others in ALIASES.values() for alias in others]
    assert len({*tasks, *registry.task_names()}) == len(tasks) + len(registry.task_names())
    for task in registry.task_names():
        names = [measure.short for measure in registry.measures(task)]
        names += [alias for measure in registry.measures(task) for alias in measure.aliases]
        assert len(set(names)) == len(names) and all(name == name.lower() for name in names), task


@pytest.mark.parametrize(
    ("task", "alias", "name"),
    [("coref", "b3", "b_cubed"), ("coref", "B3", "b_cubed"), ("coref", "ceaf", "ceaf_e"), ("coref", "CEAFe", "ceaf_e"),
     ("coref", "CoNLL", "conll"), ("ner", "f1", "f_measure"), ("asr", "ser", "sentence_error"),
     ("pos", "f1", "f_measure"), ("", "ner.f1", "f_measure"),
     ("coref", "macro(b3, by=document)", "macro(b_cubed,by=document)")],
)  # fmt: skip
def test_measures_answer_to_the_names_people_give_them(task: str, alias: str, name: str) -> None:
    assert registry.measure(alias, task).short == name


def test_an_alias_is_not_that_of_the_measure_with_other_options() -> None:
    assert registry.measure("f_measure(beta=2)", "entities").aliases == ()


def test_the_options_of_a_task() -> None:
    assert {"--singletons", "--layer", "--response-layer"} <= set(options_of_task(["score", "coref"]))
    assert options_of_task(["explain", "x"]) == []


def test_help_is_a_word_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["help", "score"]) == 0
    typed = capsys.readouterr().out
    assert run(["score", "--help"]) == 0
    assert capsys.readouterr().out == typed


def test_values_have_the_names_of_their_options(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "key.conll").write_text("w B-PER\nx O\n")
    words = ["score", "ner", str(tmp_path / "key.conll"), str(tmp_path / "key.conll"), "--beta", "2"]
    assert run([*words, "-m", "f1.f1"]) == 2
    assert "unknown value of entities.f_measure with these options 'f1'" in capsys.readouterr().err
    assert run([*words, "-m", "f1", "--fail-under", "f1=0.5"]) == 2, "F2 is not F1"
    assert run([*words, "-m", "f1", "--fail-under", "f_measure.f(beta=2)=0.5"]) == 0


def test_systems_are_compared_by_the_values_asked_for(examples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(examples / "coref" / f"{name}.conll") for name in ("key", "neural", "recency")]
    assert run(["compare", "coref", *files, "-m", "muc.recall,muc.precision", "--draws", "99", "--quiet"]) == 0
    scores, pairs, *_ = capsys.readouterr().out.split("\n\n")
    assert "recall" in scores and "precision" in pairs and "f1" not in scores + pairs


def test_a_file_where_the_task_should_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "key.conll"
    path.touch()
    assert error_output(capsys, "score", str(path), "a").startswith(
        f"{path} is a file, expected the task before it: one of "
    )


EXAMPLES = {
    words: line
    for words, command in commands()
    for line in (command.default_command.__doc__ or "").split("\n")  # type: ignore[union-attr]
    if line.startswith("aune ") and "…" not in line
}
FILES = {
    "coref": {"key": "key.conll", "a": "neural.conll", "b": "recency.conll", "system": "neural.conll",
              "novel": "key.conll"},
    "ner": {"gold": "key.conll", "a": "rules.conll", "b": "tagger.conll", "c": "rules.conll", "system": "tagger.conll",
            "ann": "rules.conll", "ben": "tagger.conll"},
    "asr": {"key": "key.jsonl", "north": "north.jsonl", "south": "south.jsonl"},
}  # fmt: skip


@pytest.mark.parametrize("words", EXAMPLES, ids=" ".join)
def test_the_example_in_the_help_runs(
    words: tuple[str, ...], tmp_path: Path, examples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it is printed, where the files have these names."""
    _, *typed = EXAMPLES[words].split()
    for task in {*typed} & FILES.keys():
        for name, file in FILES[task].items():
            source = examples / registry.resolve_task_name(task) / file
            (tmp_path / name).with_suffix(source.suffix).write_bytes(source.read_bytes())
    monkeypatch.chdir(tmp_path)
    assert run(typed) == 0


def test_the_commands_people_begin_with_have_an_example() -> None:
    begun_with = {words for words, _ in commands() if len(words) == 1} - {("completion",), ("serve",)}
    assert begun_with <= EXAMPLES.keys()
