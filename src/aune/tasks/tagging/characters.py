"""Align two versions of one text by characters: the position in the key of each position in the response.

Both texts are compared without spacing, by `aune.alignment.sequences`, which aligns any texts.

    key       l e a u c h a u d e          boundaries of the response in the key
    response  l ' e a u x c h a u d e      0 [1] 1 2 3 4 [4] 5 …

A boundary of the response has a lowest and a highest position in the key: they differ if characters are missing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from aune.alignment.sequences import steps
from aune.numeric.arrays import Ints
from aune.tasks.tagging.model import CodedColumn

RUNS = (16, 8, 4)  # lengths of the runs of characters that are searched for on the other side


class Boundaries(NamedTuple):
    """The position in the key of every boundary of the response (before each character, and after the last)."""

    lowest: Ints
    highest: Ints


def bare(form: str) -> str:
    """A form without spacing."""
    return "".join(form.split())


class Text(NamedTuple):
    """The characters of tokens, without spacing, and the end of each token in them."""

    characters: str
    ends: Ints


def text_of(tokens: CodedColumn) -> Text:
    """The text that consists of these tokens.

    >>> text_of(CodedColumn(np.array([0, 1]), ["par", "ex emple"]))
    Text(characters='parexemple', ends=array([ 3, 10]))
    """
    forms = [bare(name) for name in tokens.names]
    lengths = np.fromiter(map(len, forms), np.int64, len(forms))
    return Text("".join(map(forms.__getitem__, tokens.codes.tolist())), np.cumsum(lengths[tokens.codes]))


def boundaries(key: str, response: str) -> Boundaries:
    """The positions of the response's boundaries in the key.

    >>> boundaries("abcd", "abd").lowest.tolist(), boundaries("abcd", "abd").highest.tolist()
    ([0, 1, 2, 4], [0, 1, 3, 4])
    >>> boundaries("parexemple", "par_exemple").lowest.tolist()
    [0, 1, 2, 3, 3, 4, 5, 6, 7, 8, 9, 10]
    """
    if key == response:
        same = np.arange(len(key) + 1)
        return Boundaries(same, same)
    lowest, highest = np.zeros(len(response) + 1, np.int64), np.zeros(len(response) + 1, np.int64)
    for step in steps(key, response, RUNS):
        start, end = step.response_start, step.response_end
        if step.key_end - step.key_start == end - start:  # equal lengths: characters correspond one by one
            places = np.arange(step.key_start, step.key_end + 1)
            highest[start:end] = places[:-1]
            lowest[start + 1 : end + 1] = places[1:]
        else:
            highest[start:end] = lowest[start + 1 : end + 1] = step.key_start
    lowest[0], highest[-1] = 0, len(key)
    return Boundaries(lowest, highest)
