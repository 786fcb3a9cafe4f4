"""`aune train`: learn what a measure needs, once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import App, Parameter

app = App(name="train", help="Learn what a measure needs, once: the models of ATENE.", help_format="plaintext")


@app.command
def atene(
    *corpus: Annotated[str, Parameter(allow_leading_hyphen=False)],
    output: Annotated[Path, Parameter(name=["--output", "-o"])],
    features: str = "words",
    normalise: str = "none",
    language: Literal["en", "fr"] = "en",
    strength: float = 1.0,
    rounds: int = 100,
    input_format: str | None = None,
    **options: str,
) -> None:
    """Train the three models of ATENE on clean text with entities.

    Needs scikit-learn: pip install 'aune[atene]'. Further options are those of the corpus's format.

    Parameters
    ----------
    corpus
        Transcripts with entities: JSON lines with spans, or text with tags and --markup inline.
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
    from aune.cli._output import progress, tell
    from aune.errors import UsageError
    from aune.tasks.speech.atene.maxent import refuse_without_sklearn

    refuse_without_sklearn()
    if not corpus:
        raise UsageError("expected a corpus to train on: a file of transcripts with entities")
    if not output.absolute().parent.is_dir():
        raise UsageError(f"{output}: its folder does not exist")

    from aune import registry
    from aune.corpus import read
    from aune.tasks.speech.atene.maxent import save, train
    from aune.tasks.speech.comparison import normalised
    from aune.tasks.speech.model import utterances
    from aune.tasks.speech.normalisation import Normaliser

    home = registry.task("speech")
    chosen = {key.replace("-", "_"): value for key, value in options.items()}
    found = [one for path in corpus for one in utterances(read(home, path, input_format, **chosen).documents)]
    steps = Normaliser(normalise)
    found = [normalised(one, steps) for one in found] if steps else found
    names = [name.strip() for name in features.split(",") if name.strip()]
    with progress() as told:
        model = train(found, names, normalise=normalise, language=language, strength=strength, rounds=rounds,
                      tell=told or (lambda what, share: None))  # fmt: skip
    save(model, output)
    words = sum(len(one.words) for one in found)
    entities = sum(len(one.entities) for one in found)
    tell(f"trained on {words} words with {entities} entities of {len(model.labels)} types: "
         f"{len(model.known)} features in {output}")  # fmt: skip
