"""Descriptions of tagsets: the meaning of tags, and the valid tags.

A description is a TOML file. A category is identified by its own name (`NOUN`) or, in positional tagsets such as
MULTEXT's, by the first letter of the tag; each further letter is the value of a feature, in the description's order:

    [categories.N]
    name = "noun"
    tags = ["N[cp][-mf][-sp]"]           # the valid combinations; all of them if left out
    type = { c = "common", p = "proper" }
    gender = { m = "masculine", f = "feminine" }
    number = { s = "singular", p = "plural" }

`upos` and `grace` are included in aune (in `tagsets/`); others are given by the path of a file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product
from pathlib import Path
from typing import Any

from aune.errors import InputError, Problem, UsageError
from aune.files import parse_toml, read_text

SHIPPED = Path(__file__).parent / "tagsets"
UNSPECIFIED = "-"
PATTERN = re.compile(r"\[([^\[\]]+)\]|([^\[\]])")


@dataclass(frozen=True)
class Category:
    """A category: the beginning of its tags, the meaning of their positions, and the valid tags."""

    code: str
    name: str
    features: Mapping[str, Mapping[str, str]]
    """For each position after the code, the feature's name and the meaning of its values."""
    patterns: tuple[str, ...] = ()

    def tags(self) -> list[str]:
        """Every tag of the category."""
        if self.patterns:
            return [tag for pattern in self.patterns for tag in expand_pattern(pattern)]
        return ["".join((self.code, *values)) for values in product(*self.features.values())]


def expand_pattern(pattern: str) -> list[str]:
    """The tags of a pattern with choices in brackets.

    >>> expand_pattern("N[cp]-[sp]")
    ['Nc-s', 'Nc-p', 'Np-s', 'Np-p']
    """
    return [
        "".join(letters) for letters in product(*(choices or letter for choices, letter in PATTERN.findall(pattern)))
    ]


@dataclass(frozen=True)
class Tagset:
    """A tagset, as its description defines it."""

    name: str
    categories: Mapping[str, Category]
    joiner: str = ""
    """The separator between the tags of an amalgam, if the tagset has amalgams."""

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """Every tag, without amalgams, in order."""
        return tuple(sorted({tag for category in self.categories.values() for tag in category.tags()}))

    @cached_property
    def _tag_set(self) -> frozenset[str]:
        return frozenset(self.tags)

    def __contains__(self, tag: str) -> bool:
        return all(self.canonical(part) in self._tag_set for part in self.parts(tag))

    def parts(self, tag: str) -> list[str]:
        return tag.split(self.joiner) if self.joiner else [tag]

    def category_of(self, tag: str) -> Category | None:
        """The category whose code begins a tag (or is the whole tag, for a category without features)."""
        code = max((code for code in self.categories if self._begins(tag, code)), key=len, default=None)
        return None if code is None else self.categories[code]

    def _begins(self, tag: str, code: str) -> bool:
        return tag == code if not self.categories[code].features else tag.startswith(code)

    def canonical(self, tag: str) -> str:
        """The tag at full length, with `-` for omitted final positions."""
        if self.joiner and self.joiner in tag:
            return self.joiner.join(map(self.canonical, tag.split(self.joiner)))
        category = self.category_of(tag)
        return tag if category is None else tag.ljust(len(category.code) + len(category.features), UNSPECIFIED)

    def category(self, tag: str) -> str:
        """The category of a tag, those of its parts for an amalgam, or the tag itself if it has none."""
        categories = [self.category_of(part) for part in self.parts(tag)]
        return self.joiner.join(
            category.code if category else part for category, part in zip(categories, self.parts(tag), strict=True)
        )

    def feature(self, tag: str, feature: str) -> str | None:
        """The value of a feature, `-` if the tag leaves it open; None if its category has no such feature."""
        if len(self.parts(tag)) > 1:
            return None
        category = self.category_of(tag)
        if category is None or feature not in category.features:
            return None
        place = len(category.code) + list(category.features).index(feature)
        return tag[place] if place < len(tag) else UNSPECIFIED

    @property
    def features(self) -> list[str]:
        """The names of all features, in order of first appearance."""
        return list(dict.fromkeys(name for category in self.categories.values() for name in category.features))

    def explain_tag(self, tag: str) -> str:
        """A description of a tag in words.

        >>> tagset("grace").explain_tag("Ncms")
        'noun: common, masculine, singular'
        """
        words = []
        for part in self.parts(tag):
            category = self.category_of(part)
            if category is None:
                words.append(f"unknown {part!r}")
                continue
            letters = zip(category.features.values(), part[len(category.code) :], strict=False)
            values = [meanings.get(letter, repr(letter)) for meanings, letter in letters if letter != UNSPECIFIED]
            words.append(f"{category.name}: {', '.join(values)}" if values else category.name)
        return " + ".join(words)


def tagset(name: str) -> Tagset:
    """The tagset included in aune under this name, or the one described in a file.

    >>> len(tagset("upos").tags), "Vmip1s-" in tagset("grace"), "Vmpp" in tagset("grace"), "Zz" in tagset("grace")
    (17, True, True, False)
    """
    shipped = SHIPPED / f"{name}.toml"
    if shipped.is_file():
        return _read_shipped(name)
    if not Path(name).is_file():
        known = ", ".join(sorted(file.stem for file in SHIPPED.glob("*.toml")))
        raise UsageError(f"unknown tagset {name!r}: expected {known}, or the path of a description in TOML")
    return _read(name, Path(name).stem)


@cache
def _read_shipped(name: str) -> Tagset:
    return _read(str(SHIPPED / f"{name}.toml"), name)


def _read(path: str, name: str) -> Tagset:
    from tomllib import TOMLDecodeError  # noqa: PLC0415 - most scores need no tagset

    try:
        described = parse_toml(read_text(path))
        return _build_tagset(name, described)
    except (OSError, TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(
            [
                Problem.in_file(
                    "toml.malformed",
                    path,
                    1,
                    1,
                    found=f"no valid TOML ({error})",
                    expected="a tagset",
                    remedies=["mend it"],
                )
            ]
        ) from None
    except (TypeError, AttributeError, KeyError, ValueError) as error:
        raise InputError(
            [
                Problem.in_file(
                    "tagset.malformed",
                    path,
                    1,
                    1,
                    found=f"no description of a tagset ({error})",
                    expected="tables such as [categories.N]",
                    remedies=["mend it"],
                )
            ]
        ) from None


def _build_tagset(name: str, described: Mapping[str, Any]) -> Tagset:
    categories = {}
    for code, table in described["categories"].items():
        features = {feature: dict(values) for feature, values in table.items() if feature not in ("name", "tags")}
        patterns: Sequence[str] = table.get("tags", ())
        categories[code] = Category(code, str(table.get("name", code)), features, tuple(map(str, patterns)))
    if not categories:
        raise ValueError("no category")
    return Tagset(name, categories, str(described.get("joiner", "")))
