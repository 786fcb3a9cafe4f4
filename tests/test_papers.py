"""What the papers describe beside their measures, clause by clause, and where each is shown in three ways.

By the paper's own example, by a brute-force second implementation over random small inputs, and on real data. A place
is a test (`file::test` under tests/), or a line of docs/seeds.md (a part of its first two cells), whose commands are
run by tests/test_seeds.py. A clause that lacks one of the three says why.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

TESTS = Path(__file__).parent
PAGE = (TESTS.parent / "docs" / "seeds.md").read_text()


class Shown(NamedTuple):
    """Where a clause is shown."""

    example: str
    """By the paper's own example, or by one made for what a paper says without an example."""
    brute: str
    """By a second implementation, or a law, over generated inputs."""
    real: str
    """On real data."""


SPEECH, ENTITIES, COREF, TAGGING = (f"tasks/{task}" for task in ("speech", "entities", "coref", "tagging"))

CLAUSES = {
    # Structured entities in speech (thesis, chapter 5)
    "speech entities keep trees and labels; components are no entities": Shown(
        f"{SPEECH}/test_downstream.py::test_labels_of_the_same_words_do_not_depend_on_their_spelling",
        f"{SPEECH}/test_downstream.py::test_a_perfect_transcript_keeps_every_nested_entity",
        "why: no public transcript has trees; flat ones below",
    ),
    "--labels and --depth in speech": Shown(
        f"{SPEECH}/test_downstream.py::test_labels_and_depth_choose_entities",
        f"{SPEECH}/test_downstream.py::test_chosen_labels_are_as_if_alone",
        f"{SPEECH}/test_real_data.py::test_labels_chosen_from_real_calls",
    ),
    "the reference projected on the transcript": Shown(
        f"{SPEECH}/test_downstream.py::test_trees_are_projected_whole",
        f"{SPEECH}/test_downstream.py::test_no_other_place_is_closer",
        f"{SPEECH}/test_real_data.py::test_entities_are_projected_where_the_slow_search_puts_them",
    ),
    "downstream with any measure, many transcripts and recognisers": Shown(
        f"{SPEECH}/test_downstream.py::test_the_command_line",
        f"{SPEECH}/test_downstream.py::test_any_scores_are_those_of_the_entities_task",
        "meta/test_impact.py::test_earnings21_with_the_scores_of_aune",
    ),
    "phonetic closeness": Shown(
        f"{SPEECH}/test_downstream.py::test_closeness_by_sounds",
        f"{SPEECH}/test_downstream.py::test_no_other_place_is_closer",
        f"{SPEECH}/test_real_data.py::test_entities_are_projected_where_the_slow_search_puts_them",
    ),
    "impact by document and recogniser, groups, a second corpus": Shown(
        "meta/test_impact.py::test_the_experiment_of_the_thesis_as_one_command",
        "meta/test_impact.py::test_tables_5_3_to_5_8",
        "meta/test_impact.py::test_seven_recognisers_of_earnings21",
    ),
    "PAE and its bars": Shown(
        "reports/test_figures.py::test_bars_of_upstream_and_downstream_systems",
        "meta/test_impact.py::test_growth_of_errors_count_by_count",
        "meta/test_impact.py::test_seven_recognisers_of_earnings21",
    ),
    "inserted entities per stretch, with zeros": Shown(
        f"{SPEECH}/test_downstream.py::test_inserted_entities_per_stretch_have_zeros",
        f"{SPEECH}/test_downstream.py::test_stretches_word_by_word",
        "why: what recognisers found in real transcripts is not public",
    ),
    "stretches of documents or of utterances": Shown(
        f"{SPEECH}/measures/test_atene_i.py::test_stretches_of_documents_are_about_as_many_as_entities",
        f"{SPEECH}/measures/test_atene_i.py::test_word_by_word",
        "docs: stretches through the whole document",
    ),
    "types that the model never saw": Shown(
        "why: the thesis does not meet the case",
        f"{SPEECH}/measures/test_atene_ds.py::test_entity_by_entity",
        "docs: stretches through the whole document",
    ),
    "severity does not reward an empty transcript": Shown(
        f"{SPEECH}/measures/test_severity.py::test_nothing_is_learnt_from_nothing",
        f"{SPEECH}/measures/test_severity.py::test_leaving_a_word_out_never_pays",
        "docs: a simpler reckoning, without annotated tests",
    ),
    "ROVER": Shown(
        f"{SPEECH}/test_combination.py::test_confidence_beats_the_majority_and_silence_competes",
        f"{SPEECH}/test_combination.py::test_slots_are_those_of_the_plain_recursion",
        f"{SPEECH}/test_combination.py::test_nists_demonstration",
    ),
    "combined entities": Shown(
        "cli/test_combine.py::test_entities",
        f"{ENTITIES}/test_combination.py::test_an_entity_stays_with_enough_votes",
        f"{ENTITIES}/test_combination.py::test_seven_systems_together_are_better_than_the_best_of_them",
    ),
    "combined chains": Shown(
        f"{COREF}/test_combination.py::test_from_the_command_line",
        f"{COREF}/test_combination.py::test_votes_are_counted_as_in_the_slow_way",
        f"{COREF}/test_combination.py::test_real_systems",
    ),
    "words out of the vocabulary": Shown(
        f"{SPEECH}/measures/test_oov_wer.py::test_by_hand",
        f"{SPEECH}/measures/test_oov_wer.py::test_word_by_word",
        f"{SPEECH}/test_real_data.py::test_words_out_of_a_vocabulary",
    ),
    "weights of SER": Shown(
        f"{ENTITIES}/measures/test_ser.py::test_wrong_in_both_costs_both",
        f"{ENTITIES}/measures/test_ser.py::test_what_a_slot_wrong_in_both_costs",
        "docs: the same on WNUT-17",
    ),
    "validation by the guide": Shown(
        f"{ENTITIES}/test_check.py::test_the_guide",
        f"{ENTITIES}/test_check.py::test_the_guide_place_by_place",
        "why: no public text is annotated by this guide",
    ),
    "entities counted beside type slots": Shown(
        f"{ENTITIES}/test_describe.py::test_entities_and_slots_are_counted_apart",
        f"{ENTITIES}/test_describe.py::test_entities_and_slots_place_by_place",
        "why: no public text has metonymies",
    ),
    "a word inserted inside an entity": Shown(
        f"{SPEECH}/test_atene.py::test_a_word_put_in_inside_an_entity_has_its_own_class",
        f"{SPEECH}/test_atene.py::test_words_put_in_inside_entities_are_those_of_ne_wer",
        f"{SPEECH}/test_real_data.py::test_words_put_in_inside_real_entities",
    ),
    "human judgements": Shown(
        "meta/test_judgements.py::test_preferences_by_hand",
        "meta/test_judgements.py::test_kappa_of_choices_judge_by_judge",
        "meta/test_judgements.py::test_hats",
    ),
    # Reference resolution (Popescu-Belis 1999)
    "typed links on the partition of classes": Shown(
        f"{COREF}/test_super_classes.py::test_a_link_that_the_response_lacks",
        f"{COREF}/test_super_classes.py::test_agrees_with_the_second_implementation",
        f"{COREF}/test_super_classes.py::test_links_between_the_chains_of_novels",
    ),
    "XC with the empty core": Shown(
        f"{COREF}/measures/test_exclusive_core.py::test_row_3c_of_table_2",
        f"{COREF}/measures/test_exclusive_core.py::test_the_empty_core",
        "docs: the two readings of a core that is taken, on real texts",
    ),
    "singletons left out of one side": Shown(
        f"{COREF}/test_paper_1999.py::test_prop_13_singletons_change_neither_muc_nor_core",
        f"{COREF}/measures/test_b_cubed.py::test_over_chains_of_two_and_more",
        "docs: §5.2 | the same on real texts",
    ),
    "the baseline as a mean over draws": Shown(
        "baselines/test_differential.py::test_a_random_baseline_is_the_mean_of_its_draws",
        "baselines/test_coref.py::test_draws_are_any_partition_of_the_keys_profile_alike",
        "baselines/test_differential.py::test_the_level_of_chance_is_not_zero_for_h_and_kappa",
    ),
    "the extended BI-1": Shown(
        "docs: the extended BI-1 for RCVT and D-error",
        "meta/test_audit.py::test_bad_ratings_of_sizes_are_of_bad_responses",
        "why: a claim about all partitions of a size, which are enumerated",
    ),
    "more response than key classes": Shown(
        "docs: more response than key classes",
        "meta/test_audit.py::test_more_chains_mean_more_recall_errors",
        "meta/test_audit.py::test_more_chains_mean_more_recall_errors_in_novels",
    ),
    "BI-3′, and H at a fixed number of classes": Shown(
        "meta/test_bounds.py::test_row_3b_of_table_2",
        "meta/test_audit.py::test_the_lowest_value_for_each_number_of_chains",
        "baselines/test_coref.py::test_muc_is_indulgent_to_one_big_chain",
    ),
    "projections, cores and B³ by mention and by chain": Shown(
        "cli/test_score.py::test_the_example_of_1999",
        f"{COREF}/test_projections.py::test_chains_agree_with_the_measures",
        "cli/test_score.py::test_real_texts",
    ),
    "pairs of cores, exclusive cores, denotation, CEAF": Shown(
        f"{COREF}/test_projections.py::test_the_example_of_the_paper",
        f"{COREF}/test_projections.py::test_pairs_agree_with_the_measures",
        f"{COREF}/measures/test_denotation.py::test_greedy_differs_on_real_texts",
    ),
    "errors of recall and precision": Shown(
        f"{COREF}/test_paper_1999.py::test_errors_of_recall_and_precision_of_the_example",
        f"{COREF}/test_paper_1999.py::test_success_and_error_are_all_there_is",
        "docs: §4 | the same on real texts",
    ),
    "a passage of about N mentions": Shown(
        "docs: a passage of LPG with about as many expressions",
        f"{COREF}/test_passage.py::test_no_other_sentence_end_is_nearer",
        f"{COREF}/test_passage.py::test_from_the_command_line",
    ),
    "French kinds from running text; words without punctuation": Shown(
        f"{COREF}/mentions/test_traits.py::test_the_text_of_the_paper",
        "why: a rule over words, whose cases are its definition",
        "docs: words, expressions, classes, kinds of VA",
    ),
    "kinds by rule everywhere, and a warning without them": Shown(
        f"{COREF}/test_conventions.py::test_kinds_by_rule_fill_in_everywhere",
        f"{COREF}/measures/test_b_cubed.py::test_equal_weights_by_kind_are_the_plain_measure",
        "docs: descriptive specificity: names",
    ),
    "the elementary resolver and activation": Shown(
        "baselines/test_coref.py::test_activation_prefers_the_active_class_and_average_agreement",
        "baselines/test_coref.py::test_the_resolvers_member_by_member",
        "docs: the elementary resolver",
    ),
    "a sweep over its parameters, reported on other texts": Shown(
        "baselines/test_differential.py::test_a_sweep_finds_the_best_on_some_texts_and_scores_it_on_others",
        "why: a search over a grid, each point of which is a run",
        "docs: its parameters, tried on other texts",
    ),
    # Anaphora and denotation (the course notes; Trouilleux et al. 2000)
    "graded by the links that are followed": Shown(
        "tasks/anaphora/measures/test_graded.py::test_a_chain_of_pronouns_gives_a_half",
        "tasks/anaphora/measures/test_graded.py::test_agrees_with_the_oracle",
        "docs: the pronouns of ten English novels",
    ),
    "pairs with several antecedents": Shown(
        "tasks/anaphora/measures/test_pairs.py::test_several_antecedents",
        "tasks/anaphora/measures/test_pairs.py::test_agrees_with_the_oracle",
        "docs: the pronouns of ten English novels",
    ),
    "kinds compared with whole chains": Shown(
        f"{COREF}/measures/test_denotation.py::test_the_source_of_the_kinds_is_in_the_signature",
        f"{COREF}/measures/test_denotation.py::test_a_response_without_kinds_compared_whole",
        f"{COREF}/measures/test_denotation.py::test_novels_compared_whole",
    ),
    "groups of chains, experimental": Shown(
        f"{COREF}/measures/test_denotation_groups.py::test_the_example_of_the_paper",
        f"{COREF}/measures/test_denotation_groups.py::test_every_correspondence_by_hand",
        f"{COREF}/measures/test_denotation_groups.py::test_real_texts_lie_between_the_two",
    ),
    # Tagging (GRACE)
    "patterns over the pivot": Shown(
        f"{TAGGING}/test_comparison.py::test_patterns_stand_for_tags_of_the_pivot_not_of_the_key",
        f"{TAGGING}/test_comparison.py::test_any_chunks_in_any_order_count_the_same",
        f"{TAGGING}/test_real_data.py::test_precision_and_decision_as_listed",
    ),
    "patterns without a pivot are refused; identity is no table": Shown(
        "cli/tagging/test_table.py::test_patterns_need_a_pivot",
        f"{TAGGING}/test_comparison.py::test_identity_as_a_table_is_no_table",
        f"{TAGGING}/grace/test_tagset.py::test_every_real_tag_is_known",
    ),
    "NONEVAL and the cases count against silence": Shown(
        f"{TAGGING}/test_notes.py::test_a_missing_document_counts_against_the_system",
        f"{TAGGING}/test_comparison.py::test_overall_is_never_raised_by_saying_less",
        f"{TAGGING}/test_real_data.py::test_what_is_left_out_counts",
    ),
    "the decision plane": Shown(
        "docs: the four points, nbCas and %NONEVAL",
        f"{TAGGING}/grace/test_quantities.py::test_five_values_and_seven_quantities_are_equivalent",
        "docs: P, D, Pmin, Pmoy, Pmax",
    ),
    "relative evaluation": Shown(
        f"{TAGGING}/test_comparison.py::test_relative_evaluation_compares_in_the_responses_tags",
        f"{TAGGING}/measures/test_projection.py::test_both_evaluations_word_by_word",
        f"{TAGGING}/test_real_data.py::test_relative_evaluation_acts_on_every_measure",
    ),
    "tables checked, turned round, made short, applied": Shown(
        "cli/tagging/test_table.py::test_check",
        f"{TAGGING}/grace/test_correspondence_table.py::test_the_inverse_of_the_inverse_is_the_table",
        "docs: the same for a real table of 23 tags",
    ),
    "minimal segmentation": Shown(
        f"{TAGGING}/test_comparison.py::test_minimal_segments_as_cases",
        f"{TAGGING}/test_comparison.py::test_minimal_segments_letter_by_letter",
        "docs: minimal segmentation: blanks and all punctuation",
    ),
    "compounds that a response marks": Shown(
        f"{TAGGING}/test_comparison.py::test_a_response_that_marks_compounds_itself",
        f"{TAGGING}/test_compounds.py::test_a_marked_unit_counts_where_the_key_marks_it",
        f"{TAGGING}/test_real_data.py::test_another_tokenisation_and_compounds_are_realigned",
    ),
    "realignment refuses unrelated words": Shown(
        f"{TAGGING}/test_comparison.py::test_words_that_have_nothing_in_common_are_not_paired",
        f"{TAGGING}/test_comparison.py::test_as_many_are_left_out_as_have_another_word",
        f"{TAGGING}/test_real_data.py::test_another_tokenisation_and_compounds_are_realigned",
    ),
    "disagreements for correction": Shown(
        "cli/test_combine.py::test_disagreements_for_correction",
        f"{TAGGING}/test_combination.py::test_disagreements_are_the_words_below_the_agreement",
        "docs: the same with three real taggers",
    ),
}


@cache
def functions(file: str) -> dict[str, str]:
    """The functions of a test file, as text."""
    tree = ast.parse((TESTS / file).read_text())
    return {node.name: ast.unparse(node) for node in tree.body if isinstance(node, ast.FunctionDef)}


def reads_real_data(file: str, name: str) -> bool:
    """Whether a test is given the real data, by itself or by a fixture of its file."""
    text = functions(file)[name]
    head = text[: text.index("):") if "):" in text else text.index(") ->")]
    fixtures = [other for fixture, other in functions(file).items() if re.search(rf"\b{fixture}\b", head)]
    return any(re.search(r"\bdata\b|BASELINE", item) for item in (text, *fixtures))


def lines(part: str) -> list[str]:
    """The lines of tables that say something in their first two cells."""
    return [line for line in PAGE.splitlines() if line.startswith("|") and part in " | ".join(line.split(" | ")[:2])]


@pytest.mark.parametrize("clause", CLAUSES)
def test_every_clause_is_shown(clause: str) -> None:
    for kind, where in zip(Shown._fields, CLAUSES[clause], strict=True):
        if where.startswith("docs: "):
            assert lines(where.removeprefix("docs: ")), where
        elif not where.startswith("why: "):
            file, _, name = where.partition("::")
            assert name in functions(file), where
            assert kind != "real" or reads_real_data(file, name), f"{where} reads no real data"
