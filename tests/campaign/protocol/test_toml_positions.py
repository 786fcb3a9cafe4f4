from __future__ import annotations

import tomllib
from collections.abc import Iterator
from typing import Any

import pytest

from aune.campaign.protocol.toml_positions import KeyPath, find_positions
from aune.campaign.scaffold import PROTOCOL_TEMPLATE

ODD = '''
a.b = 1
"quoted key" = 'x' # a comment with = and [
many = [ # inside
  1, [2, 3],
  {x = "]", y.z = """
multi = "no"
"""},
]
[t."dry run"]
valid = 3
[[list]]
one = "1"
[list.inner]
two = "2"
[[list]]
one = "3"
[[list.deep]]
x = 1
text = \'\'\'
[not a header]
key = "no"
\'\'\'
last = true
'''


def leaves(keys: KeyPath, value: Any) -> Iterator[tuple[KeyPath, Any]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from leaves((*keys, key), inner)
    if not isinstance(value, dict | list):
        yield keys, value


@pytest.mark.parametrize(
    "text",
    [
        ODD,
        PROTOCOL_TEMPLATE.format(
            name="n",
            task="t",
            ending=".x",
            ranking="r",
            unit="u",
            pad=" ",
            task_pad=" ",
            ranking_pad=" ",
            measures='"m"',
            options="a = 1",
            referential="",
        ),
    ],
)
def test_every_value_stands_where_its_place_says(text: str) -> None:
    positions = find_positions(text)
    lines = text.split("\n")
    for keys, value in leaves((), tomllib.loads(text)):
        line, column = positions[keys]
        rest = lines[line - 1][column - 1 :]
        begins = {str: ('"', "'"), bool: ("true", "false")}.get(type(value), (str(value),))
        assert rest.startswith(begins), (keys, rest)
        if isinstance(value, str) and value and "\n" not in value:
            assert value in rest


def test_long_files_take_time_that_is_linear() -> None:
    """Sixty thousand empty lines were looked at once for each of them: minutes."""
    assert find_positions("a = 1\n" + "\n" * 60_000 + "b = 2\n")["b",] == (60_002, 5)
