"""The formatter of the server's templates: `make format` runs it, and `make lint` runs it with `--check`.

Whitespace is added and removed only where a browser ignores it: beside a block-level element, and inside a tag.
No formatter on PyPI does that: djlint 1.49 leaves long lines inside `{% for %}` alone and puts blanks around words.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

TEMPLATES = Path(__file__).resolve().parents[1] / "src" / "aune" / "server" / "templates"
WIDTH = 120

DJANGO = r"\{%.*?%\}|\{\{.*?\}\}"
QUOTED = rf"""\"(?:{DJANGO}|[^"])*"|'(?:{DJANGO}|[^'])*'"""
"""The value of an attribute; Django's tags in it have quotes of their own."""
IN_TAG = rf"""(?:{DJANGO}|{QUOTED}|[^>"'])*"""
TOKEN = re.compile(rf"{DJANGO}|<!doctype[^>]*>|</?[a-zA-Z]{IN_TAG}>", re.DOTALL)
VOID = {"input", "meta", "link", "br", "img"}
WHOLE = {"pre", "textarea"}
"""Elements whose whitespace is content: they stay on one line."""
BLOCK_NAMES = """
html head body header nav main footer section article div p h1 h2 h3 h4 form fieldset legend table thead tbody tr th td
ul ol li dl dt dd details summary select option optgroup script title meta link label progress noscript br
"""
BLOCK = set(BLOCK_NAMES.split())
FLEXIBLE = re.compile(r'class="(?:[^"]* )?(?:asked|fields|row)(?: [^"]*)?"')
"""Boxes that lay out their children themselves: whitespace between these counts for nothing."""
OPENERS = {"block", "if", "for", "with"}
BRANCHES = {"else", "elif", "empty"}
UNSEEN = {"csrf_token", "load", "regroup", "extends", "include"}
"""Tags that show nothing, or blocks alone."""
STRICT = {"title", "heading", "what", "body", "foot"}
"""Blocks that stand inside a line of another template."""


@dataclass
class Node:
    """A word or tag without content (no branches), an element (one branch), or a Django tag (several branches)."""

    text: str
    spaced: bool
    """Whether whitespace stands before it."""
    kind: str = "text"
    branches: list[tuple[str, list[Node], bool]] = field(default_factory=list)
    """The tag that begins a branch, its content, and whether whitespace stands at the end of the content."""
    close: str = ""

    @property
    def name(self) -> str:
        return (re.search(r"[a-zA-Z_]+", self.text) or [""])[0]

    @property
    def is_block(self) -> bool:
        if self.kind == "django":
            return self.name in UNSEEN or any(child.is_block for _, content, _ in self.branches for child in content)
        hidden = self.name == "input" and 'type="hidden"' in self.text
        return self.kind == "element" and (self.name in BLOCK or hidden)

    def leads(self, inherited: bool) -> bool:
        """Whether whitespace before it counts for nothing, whichever branch is taken; inherited: what follows it."""
        return self._edge(inherited, first=True)

    def trails(self, inherited: bool) -> bool:
        return self._edge(inherited, first=False)

    def _edge(self, inherited: bool, *, first: bool) -> bool:
        if self.kind != "django" or not self.branches:
            return self.is_block
        edges = []
        for _, content, spaced in self.branches:
            if not content:
                edges.append(inherited)
            elif first:
                edges.append(content[0].spaced or content[0].leads(inherited))
            else:
                edges.append(spaced or content[-1].trails(inherited))
        whole = self.name in ("with", "block") or any(
            re.search(r"\b(else|empty)\b", tag) for tag, _, _ in self.branches
        )
        return all(edges) and (whole or inherited)


Children: TypeAlias = list[Node]


def parse(text: str) -> tuple[Children, bool]:
    """The tree of a template, and whether it ends with whitespace."""
    root = Node("", False, "element", [("", [], False)])
    stack = [root]
    spaced = False

    def add(node: Node) -> None:
        stack[-1].branches[-1][1].append(node)

    def finish() -> None:
        tag, content, _ = stack[-1].branches[-1]
        stack[-1].branches[-1] = (tag, content, spaced)

    place = 0
    for match in [*TOKEN.finditer(text), None]:
        if match and match.start() < place:
            continue
        plain = text[place : match.start() if match else len(text)]
        for part in re.findall(r"\s+|\S+", plain):
            if part.isspace():
                spaced = True
            else:
                add(Node(part, spaced))
                spaced = False
        if match is None:
            break
        token, place = re.sub(r"\s+", " ", match[0]), match.end()
        name = re.search(r"[a-zA-Z_]+", token)[0]  # type: ignore[index]
        if token.startswith("{{"):
            add(Node(token, spaced))
        elif token.startswith("</") or (token.startswith("{%") and name.startswith("end")):
            finish()
            node = stack.pop()
            assert node.name == name.removeprefix("end"), (node.text, token)
            node.close = token
        elif token.startswith("{%") and name in BRANCHES:
            finish()
            stack[-1].branches.append((token, [], False))
        else:
            django = token.startswith("{%")
            node = Node(token, spaced, "django" if django else "element")
            add(node)
            if name in WHOLE:
                end = text.index(f"</{name}>", place) + len(name) + 3
                node.text, place = node.text + text[place:end], end
            elif name in OPENERS if django else name not in VOID and not token.startswith("<!"):
                node.branches.append((token, [], False))
                stack.append(node)
        spaced = False
    finish()
    assert stack == [root], stack[-1].text
    return root.branches[0][1], root.branches[0][2]


def flat(node: Node) -> str:
    """A node on one line."""
    if not node.branches:
        return node.text
    parts = []
    tight = node.kind == "element" and node.is_block
    for tag, content, spaced in node.branches:
        inside = "".join((" " if child.spaced else "") + flat(child) for child in content) + (" " if spaced else "")
        parts.append(tag + (inside.strip() if tight else inside))
    return "".join(parts) + node.close


class Lines:
    """What is printed so far; the last line may still grow."""

    def __init__(self) -> None:
        self.lines: list[str] = [""]

    def put(self, text: str, depth: int, *, spaced: bool, broken: bool) -> None:
        """Append text to the last line, or begin a new line where one may begin."""
        if broken and self.lines[-1]:
            self.lines.append("")
        last = self.lines[-1]
        self.lines[-1] = ("  " * depth + text) if not last else last + (" " if spaced else "") + text

    def room(self) -> int:
        return WIDTH - len(self.lines[-1])


def attributes(tag: str) -> list[str]:
    """The parts of a tag between which a line may break: attributes, where that is enough with their conditions."""
    parts = [""]
    for part in _attributes(tag, conditions=True):
        parts += _attributes(part, conditions=False) if len(part) > WIDTH else [part]
    return parts[1:]


def _attributes(tag: str, *, conditions: bool) -> list[str]:
    """A tag, or a part of one, cut at its blanks: never in a value or in a tag of Django, nor within conditions."""
    parts, depth = [""], 0
    for match in re.finditer(rf"""{DJANGO}|{QUOTED}|\s+|[^\s"'{{]+|\{{""", tag):
        text = match[0]
        if text.startswith("{% if"):
            depth += conditions
        elif text.startswith("{% endif"):
            depth -= conditions
        if text.isspace() and not depth:
            parts.append("")
        else:
            parts[-1] += text
    breakable = [len(part) > WIDTH and not re.search(DJANGO, part) for part in parts]
    return [piece for part, may in zip(parts, breakable, strict=True) for piece in (part.split() if may else [part])]


def tag_lines(out: Lines, tag: str, depth: int, *, spaced: bool, broken: bool) -> None:
    """Put an opening tag, over several lines where it is too long."""
    room = WIDTH - 2 * depth if broken else out.room() - 1
    if len(tag) <= room or not tag.startswith("<"):
        out.put(tag, depth, spaced=spaced, broken=broken)
        return
    first, *others = attributes(tag)
    out.put(first, depth, spaced=spaced, broken=broken)
    for part in others:
        out.put(part, depth + 2, spaced=True, broken=len(part) + 1 > out.room())


def lay(out: Lines, content: Children, depth: int, before: bool, after: bool, flexible: bool) -> None:
    """Put nodes one after the other. before and after: whether whitespace at the ends counts for nothing."""
    edge, loose = before, True
    for position, node in enumerate(content):
        following = content[position + 1 :]
        following_free = following[0].spaced or following[0].leads(after) if following else after
        free = node.spaced or edge or node.leads(following_free) or flexible
        line = flat(node)
        fits = len(line) + node.spaced <= out.room()
        broken = free and (loose or node.is_block or not fits)
        if not node.branches:
            tag_lines(out, line, depth, spaced=node.spaced, broken=broken)
        elif len(line) <= (WIDTH - 2 * depth if broken else out.room() - 1) and not is_nested(node):
            out.put(line, depth, spaced=node.spaced, broken=broken)
        else:
            ends = following_free or node.trails(following_free)
            branch_lines(out, node, depth, broken=broken, edge=free and not flexible, after=ends)
        loose = node.is_block or node.name == "block"
        edge = node.trails(edge) or (node.kind == "django" and node.name in UNSEEN and edge)


def is_nested(node: Node) -> bool:
    """Whether a node contains several blocks: these get lines even where one line would do."""
    inner = [child for _, content, _ in node.branches for child in content]
    inline = (node.kind == "django" and node.name == "block") or node.name in ("li", "summary", "label", "legend")
    return not inline and sum(child.is_block and bool(child.branches) for child in inner) > 1


def branch_lines(out: Lines, node: Node, depth: int, *, broken: bool, edge: bool, after: bool) -> None:
    """Put an element or Django tag with its content indented."""
    block = node.kind == "element" and node.is_block
    strict = node.name in ("title", "option") or (node.name == "block" and node.text.split()[2] in STRICT)
    inside = (block or (node.name == "block")) and not strict
    flexible = node.kind == "element" and bool(FLEXIBLE.search(node.text))
    for position, (tag, content, spaced) in enumerate(node.branches):
        ends = inside or (node.kind == "django" and after and not strict) or spaced
        begins = inside or (node.kind == "django" and edge and not strict)
        if position == 0:
            tag_lines(out, tag, depth, spaced=node.spaced, broken=broken)
        lay(out, content, depth + 1, begins, ends, flexible)
        last = position + 1 == len(node.branches)
        free = ends or (bool(content) and content[-1].trails(begins)) or (not content and begins)
        closing = node.close if last else node.branches[position + 1][0]
        out.put(closing, depth, spaced=spaced, broken=free)


def format_template(text: str) -> str:
    content, _ = parse(text)
    out = Lines()
    lay(out, content, 0, True, True, False)
    return "\n".join(line.rstrip() for line in out.lines) + "\n"


def main(arguments: list[str]) -> int:
    texts = {path: path.read_text("utf-8") for path in sorted(TEMPLATES.rglob("*.html"))}
    changed = {path: layout for path, text in texts.items() if (layout := format_template(text)) != text}
    for path, layout in changed.items():
        if "--check" in arguments:
            print(f"{path}: run `make format`", file=sys.stderr)
        else:
            path.write_text(layout, "utf-8")
    return int("--check" in arguments and bool(changed))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
