"""`aune speech train`: learn what a measure needs, once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, Parameter

from aune.cli._inputs import CorpusOptions, File, Rounds, Strength, keywords
from aune.cli._output import note, progress, warn

app = App(name="train", help="Learn what a measure needs, once.", help_format="plaintext")


@app.command
def atene(
    *corpus: File,
    output: Annotated[Path, Parameter(name=["--output", "-o"])],
    features: str = "words",
    normalise: str = "none",
    language: Literal["en", "fr"] = "en",
    strength: Strength = 1.0,
    rounds: Rounds = 100,
    input_format: str | None = None,
    **options: CorpusOptions,
) -> None:
    """Train the three models of ATENE on clean text with entities.

    Needs scikit-learn: pip install 'aune[atene]'. Further options are those of the corpus's format, and --typology,
    --labels and --depth, which choose among the entities as they do when scoring.

    Parameters
    ----------
    corpus
        Texts with entities, in any format of speech or of entities: JSON lines with spans, text with tags and --markup
        inline, CoNLL…
    output
        The file for the models (npz), written whole or not at all.
    features
        What the models see, separated by commas: words, affixes, pos, capitals.
    normalise
        The chain of normalisation, the same as when scoring; see `aune list options speech`.
    language
        The language, for parts of speech.
    strength
        How closely the models follow the corpus: the inverse of the strength of regularisation.
    rounds
        The most rounds of training.
    input_format
        The format, when it should not be recognised from the content.
    """
    from aune.errors import UsageError
    from aune.tasks.speech.atene.maxent import refuse_without_sklearn

    refuse_without_sklearn()
    if not corpus:
        raise UsageError("expected a corpus to train on: a file of transcripts with entities")
    if not output.absolute().parent.is_dir():
        raise UsageError(f"{output}: its folder does not exist")

    from aune.contract.options import options_of
    from aune.tasks.speech.atene.maxent import save, train
    from aune.tasks.speech.comparison import compare, normalise_utterance
    from aune.tasks.speech.entity_corpora import read_transcripts
    from aune.tasks.speech.model import EntitySelection, utterances
    from aune.tasks.speech.text.normalisation import Normaliser

    selecting = {name: option for name, option in options_of(compare).items() if name in EntitySelection._fields}
    values = keywords(options)
    selection = EntitySelection(
        **{name: selecting[name].convert(values[name]) for name in selecting.keys() & values.keys()}
    )
    reading = {name: value for name, value in values.items() if name not in selecting}
    corpora = [read_transcripts(path, input_format, reading, by_sentence=True) for path in corpus]
    warn(dict.fromkeys(warning for source in corpora for warning in source.warnings))
    sentences = [utterance for source in corpora for utterance in utterances(source.documents)]
    steps = Normaliser(normalise)
    sentences = [normalise_utterance(sentence, steps) for sentence in sentences] if steps else sentences
    names = [name.strip() for name in features.split(",") if name.strip()]
    with progress() as update:
        model = train(sentences, names, normalise=normalise, language=language, strength=strength, rounds=rounds,
                      selection=selection, tell=update or (lambda what, share: None))  # fmt: skip
    save(model, output)
    words = sum(len(sentence.words) for sentence in sentences)
    entities = sum(len(sentence.entities) for sentence in sentences)
    note(f"trained on {words} words with {entities} entities of {len(model.labels)} types: "
         f"{len(model.known)} features in {output}")  # fmt: skip


@app.command
def severity(
    key: File,
    /,
    *responses: File,
    model: File,
    output: Annotated[Path, Parameter(name=["--output", "-o"])],
    language: Literal["en", "fr"] = "en",
    input_format: str | None = None,
    **options: str,
) -> None:
    """Learn from ATENE what each class of errors costs, for the experimental measure `severity`.

    Further options are those of the corpus's format.

    Parameters
    ----------
    key
        Transcripts with entities.
    responses
        What recognisers made of them: files, or name=path.
    model
        The models of ATENE, as `aune speech train atene` wrote them.
    output
        The file for the weights (JSON), written whole or not at all.
    language
        The language, for words of grammar.
    input_format
        The format, when it should not be recognised from the content.
    """
    from aune.contract import registry
    from aune.errors import UsageError
    from aune.evaluation.pairing import pair
    from aune.evaluation.plan import options_for_responses, resolve_options
    from aune.reading.corpus import read
    from aune.reading.system_names import system_names
    from aune.tasks.speech.atene.error_weights import MIN_ERRORS, learn, save
    from aune.tasks.speech.atene.maxent import load
    from aune.tasks.speech.comparison import compare

    if not responses:
        raise UsageError("expected the responses of at least one recogniser")
    home, chain = registry.task("speech"), load(model).normalise
    chosen = resolve_options(home, [], None, keywords(options)).explicit
    expected = read(home, key, input_format, **chosen)
    comparisons = []
    for path in system_names(responses).values():
        pairs, notes = pair(home, expected, read(home, path, input_format, **options_for_responses(chosen)))
        warn(notes)
        comparisons.append(compare(pairs, normalise=chain))
    weights = learn(comparisons, model, language)
    save(weights, output)
    kinds = len(weights.types) - 1
    few = f" (no class has {MIN_ERRORS} errors: each weighs as {'its kind' if kinds else 'any error'})"
    few = "" if weights.classes else few
    note(f"learnt the weights of {kinds} kinds and {len(weights.classes)} classes of errors{few} in {output}")
