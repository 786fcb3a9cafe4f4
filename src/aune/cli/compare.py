"""`aune compare`: which system is better, and how sure that is."""

from __future__ import annotations

from aune.cli._inputs import (
    DEFAULT_READING,
    Digits,
    Draws,
    File,
    FileOrStdin,
    Level,
    Measures,
    Options,
    Reading,
    Seed,
    TaskName,
    measure_names,
)
from aune.cli._output import (
    OutputFile,
    OutputFormat,
    SignatureStyle,
    chosen_format,
    put_text,
    screen,
    signature_style,
    warn,
)

GROUP = "Score"


def compare(
    task: TaskName,
    key: FileOrStdin,
    /,
    *responses: File,
    measures: Measures = None,
    test: str = "randomisation",
    level: Level = 0.95,
    draws: Draws = 10_000,
    seed: Seed = 1,
    unit: str = "auto",
    correction: str = "holm",
    format: OutputFormat = None,
    output: OutputFile = None,
    signature: SignatureStyle = None,
    reading: Reading = DEFAULT_READING,
    digits: Digits = 2,
    **options: Options,
) -> int:
    """Compare systems on the same key, pair by pair.

    For every measure and every pair: the difference, its confidence interval, the p-value of a two-sided paired test
    (also corrected for the number of pairs), and the size of the effect in standard deviations.

    aune compare coref key.conll a.conll b.conll -m conll

    Parameters
    ----------
    task
        What is scored: see `aune list tasks`.
    key
        The key (gold, reference): a file, a folder, or - for standard input.
    responses
        The responses (predictions, hypotheses), two or more: files or folders, or name=path to name a system.
    measures
        Names or expressions, separated by commas or repeated; `muc.recall` compares by this value.
    test
        randomisation (exchange the systems on random units), bootstrap (centred), sign or wilcoxon (on the values of
        single units); for speech also mapsswe (on the word errors of segments between words that both systems have
        right) and mcnemar (on the utterances that only one of the two has right).
    level
        Confidence level of the intervals; systems with corrected p ≤ 1 − level differ significantly.
    draws
        Random exchanges, and bootstrap replicates for the intervals.
    seed
        Random seed.
    unit
        What is exchanged or drawn: an attribute of the task's units, such as document, speaker or sentence; auto: the
        documents, recordings or speakers that the data names, or its sentences or utterances where it names none.
    correction
        How p-values are corrected for the number of pairs, which decides which systems differ significantly: holm (the
        chance of one false difference) or benjamini-hochberg (the share of false ones among those found).
    format
        table, json, jsonl, csv, tsv, markdown, latex or html.
    output
        A file for the result, written whole or not at all; standard output otherwise.
    digits
        Decimals shown in tables.
    """
    from aune.contract import registry
    from aune.contract.registry import chosen_values
    from aune.errors import UsageError
    from aune.evaluation.pipeline import evaluate
    from aune.explain.analysis import study
    from aune.explain.paired_tests import run_paired_test
    from aune.reports.comparison import write
    from aune.statistics.comparison import compare_systems

    if len(responses) < 2:
        raise UsageError("expected at least two responses to compare: aune compare TASK KEY A B")
    names, values = chosen_values(task, measure_names(measures))
    paired = registry.task(task).extras.paired_tests.get(test)
    if paired is None:
        result, special = reading.run(evaluate, task, key, responses, names, options), None
    else:
        if names not in ([], [paired.measure], [f"{task}.{paired.measure}"]):
            about = paired.measure
            raise UsageError(f"{test} is a test of the {about} of {task}: use it with aune compare {task} -m {about}")
        evaluated = reading.run(study, task, key, responses, [paired.measure], options)
        result, special = evaluated.result, run_paired_test(evaluated, test)
    comparison = compare_systems(result, test, task_p_values=special, level=level, draws=draws, seed=seed, unit=unit,
                            correction=correction)  # fmt: skip
    warn([*comparison.warnings, *result.warnings])
    style = signature_style(signature, chosen := chosen_format(format, output), output)
    put_text(write(comparison, chosen, digits, values=values, signature=style, **screen(output)), output)
    return 0
