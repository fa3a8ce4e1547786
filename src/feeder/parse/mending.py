"""Finds the smallest blocks of a text that its grammar cannot parse, and blanks as little of them
as possible.

A block is tried in its context: the lines of the blocks around it, and the blocks of one line
beside it. All else is left out.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from tree_sitter import Node as Syntax
from tree_sitter import Parser

from feeder.parse.blocks import Block, bracket_balance, split_blocks
from feeder.parse.declared_lines import declared_names, definitions_of
from feeder.parse.grammars import Grammar
from feeder.parse.syntax_tree import blank_hidden

PARSED_BYTES_MIN, PARSED_BYTES_PER_BYTE, PARSED_BYTES_LIMIT = 100_000, 7, 700_000
"""How many bytes are parsed in all: at least, for each byte of the file, and at most."""

DEPTH_LIMIT = 12
"""Levels of blocks in blocks."""

MERGE_LIMIT = 4
"""How many blocks below a damaged one may belong to it, such as the rest of a long string."""

DELETION_TRIES = 64
"""How many deletions of tokens are tried in a block."""

DELETED_TOKENS = 4
"""How many tokens are deleted together, except for those between two brackets."""

HEADER_LIMIT = 2000
"""Bytes of a block's outer lines above which no deletion is tried."""

_BEFORE_CLOSING = re.compile(rb"(?<=[^\s{;]) (?=\})|(?<=\}) (?=\})")
_TOKEN = re.compile(rb"\w+|[^\w\s]")
_CLOSING = {b"(": b")", b"[": b"]", b"{": b"}", b"<": b">"}

_PLACEHOLDERS = (b"", b"0", b"0;")

Errors = list[tuple[int, int]]
"""The first and the last line of each error."""


class _BudgetError(Exception):
    """The parses allowed for a file are used up."""


def error_nodes(root: Syntax) -> Iterator[Syntax]:
    to_visit = [root]
    while to_visit:
        node = to_visit.pop()
        if node.is_error or node.is_missing:
            yield node
        elif node.has_error:
            to_visit += reversed(node.children)


def _is_bracket(line: bytes) -> bool:
    """True for a line that opens or closes what stands around others: `namespace shop {`, `}`."""
    line = line.strip()
    return line[:1] in {b"}", b")", b"]"} or line[-1:] in {b"{", b"(", b"["}


def _covered(errors: Errors) -> int:
    return sum(last - first + 1 for first, last in errors)


class Mender:
    """Finds the blocks that cannot be parsed, and changes their lines in `lines`."""

    def __init__(self, grammar: Grammar, content: bytes, protected: set[int]) -> None:
        self.lines = content.splitlines(keepends=True)
        self.blanked: list[Block] = []
        """Blocks of which the outer lines are blanked: what they declare is in no tree."""
        self.conditionals: list[Block] = []
        """Lines from `#if` to `#endif` of which only the first branch is left."""
        self.original = tuple(self.lines)
        self._grammar = grammar
        self._parser: Parser = grammar.parser
        self._protected = protected
        self._error_rows: dict[bytes, Errors] = {}
        """The errors of each text that was parsed: one in twelve is parsed again."""
        self._budget = min(
            PARSED_BYTES_LIMIT, PARSED_BYTES_PER_BYTE * len(content) + PARSED_BYTES_MIN
        )

    def run(self) -> None:
        try:
            self._mend_blocks(split_blocks(self.lines, range(len(self.lines))), (), 0)
        except _BudgetError:
            return

    def changed_lines(self) -> list[int]:
        pairs = enumerate(zip(self.lines, self.original, strict=True))
        return [number for number, (line, original) in pairs if line != original]

    def blanked_lines(self) -> list[int]:
        """The lines of which words were blanked, not those in which a statement was ended."""
        return [
            number
            for number in self.changed_lines()
            if self.lines[number].replace(b";", b" ") != self.original[number].replace(b";", b" ")
        ]

    def changes(self) -> list[list[int]]:
        """The changed lines; the lines of a blanked block are together."""
        numbers = self.changed_lines()
        blocks = [*self.blanked, *self.conditionals]
        together = [[number for number in numbers if number in block.lines] for block in blocks]
        alone = [
            [number] for number in numbers if not any(number in block.lines for block in blocks)
        ]
        return [*filter(None, together), *alone]

    def forget(self, numbers: Sequence[int]) -> None:
        """Drops the blocks whose lines were put back."""
        self.blanked = [run for run in self.blanked if numbers[0] not in run.lines]
        self.conditionals = [
            conditional for conditional in self.conditionals if numbers[0] not in conditional.lines
        ]

    def restore(self, numbers: Sequence[int], lines: Sequence[bytes] = ()) -> list[bytes]:
        """Puts lines in place, the original ones by default; returns those that were there."""
        saved = [self.lines[number] for number in numbers]
        for index, number in enumerate(numbers):
            self.lines[number] = lines[index] if lines else self.original[number]
        return saved

    def _errors(self, numbers: Iterable[int]) -> Errors:
        """The errors of some lines, parsed without all others."""
        numbers = sorted(set(numbers))
        text = b"".join(self.lines[number] for number in numbers)
        self._budget -= len(text) + 200
        if self._budget < 0:
            raise _BudgetError
        if not numbers:
            return []
        if text not in self._error_rows:
            errors = error_nodes(self._parser.parse(text).root_node)
            self._error_rows[text] = [(node.start_point.row, node.end_point.row) for node in errors]
        last = len(numbers) - 1
        return [
            (numbers[min(start, last)], numbers[min(end, last)])
            for start, end in self._error_rows[text]
        ]

    def _is_sound(self, numbers: Iterable[int], context: Sequence[int], allowed: int) -> bool:
        """True if lines add no error to their context, which has `allowed` errors itself."""
        numbers = set(numbers)
        errors = self._errors([*context, *numbers])
        return len(errors) <= allowed and not any(
            first <= number <= last for first, last in errors for number in numbers
        )

    def _mend_blocks(self, blocks: Sequence[Block], context: Sequence[int], depth: int) -> None:
        """Mends the damaged ones of the blocks that stand side by side in the context's lines."""
        singles = [block for block in blocks if block.first == block.last]
        self._mend_singles(singles, context)
        context = [*context, *(block.first for block in singles)]
        allowed = len(self._errors(context))
        longer = [block for block in blocks if block.first != block.last]
        for block in list(self._damaged(longer, context, allowed)):
            if not self._is_sound(block.lines, context, allowed):
                self._mend_block(block, blocks, context, allowed, depth)

    def _damaged(
        self, blocks: Sequence[Block], context: Sequence[int], allowed: int
    ) -> Iterator[Block]:
        """The blocks that cannot be parsed in the context, found by halves."""
        lines = [number for block in blocks for number in block.lines]
        if not blocks or self._is_sound(lines, context, allowed):
            return
        if len(blocks) == 1:
            yield blocks[0]
            return
        middle = len(blocks) // 2
        yield from self._damaged(blocks[:middle], context, allowed)
        yield from self._damaged(blocks[middle:], context, allowed)

    def _mend_singles(self, singles: Sequence[Block], context: Sequence[int]) -> None:
        """Mends blocks of one line, of which each is the context of the others."""
        outer = len(self._errors(context))
        for _ in range(10):
            lines = [*context, *(block.first for block in singles)]
            errors = self._errors(lines)
            suspects = [
                block
                for block in singles
                if block.first not in self._protected
                and not _is_bracket(self.lines[block.first])
                and any(first <= block.first <= last for first, last in errors)
            ]
            if len(errors) < outer or not suspects:
                return
            without = {
                block: self._errors([line for line in lines if line != block.first])
                for block in suspects[:40]
            }
            worst = min(without, key=lambda block: _covered(without[block]))
            if _covered(without[worst]) >= _covered(errors):
                return
            others = [line for line in lines if line != worst.first]
            if not self._mend_leaf(worst, others, len(without[worst])):
                return

    def _mend_block(
        self,
        block: Block,
        siblings: Sequence[Block],
        context: Sequence[int],
        allowed: int,
        depth: int,
    ) -> None:
        at = siblings.index(block)
        for count in range(1, MERGE_LIMIT + 1):
            joined = siblings[at : at + count + 1]
            lines = [number for run in joined for number in run.lines]
            if len(joined) > count and self._is_sound(lines, context, allowed):
                return
        inner = split_blocks(self.lines, block.interior())
        if not all(map(self._has_whole_conditionals, inner)) and self._choose_branches(
            block, context, allowed
        ):
            return
        if inner and depth < DEPTH_LIMIT:
            saved, blanked = self.lines[:], self.blanked[:]
            self._mend_blocks(inner, [*context, *block.frame], depth + 1)
            if self._is_sound(block.lines, context, allowed) and self._keeps_some(inner):
                return
            self.lines, self.blanked = saved, blanked
        self._mend_leaf(block, context, allowed)

    def _has_whole_conditionals(self, block: Block) -> bool:
        """True if each `#if` in a block has its `#endif` there."""
        if not self._grammar.conditionals:
            return True
        text = b"".join(self.lines[block.first : block.last + 1])
        roles = [match.lastgroup for match in self._grammar.conditionals.finditer(text)]
        return roles.count("open") == roles.count("close")

    def _choose_branches(self, block: Block, context: Sequence[int], allowed: int) -> bool:
        """Blanks all but the first branch of the conditionals in a block, if it then parses."""
        text = b"".join(self.lines[block.first : block.last + 1])
        if not self._grammar.conditionals or not self._grammar.conditionals.search(text):
            return False
        saved = self.lines[:]
        blanked = blank_hidden(text, self._grammar.conditionals).splitlines(keepends=True)
        self.lines[block.first : block.last + 1] = blanked
        if self._is_sound(block.lines, context, allowed):
            self.conditionals += _conditional_lines(self._grammar.conditionals, text, block.first)
            return True
        self.lines = saved
        return False

    def _keeps_some(self, blocks: Sequence[Block]) -> bool:
        """True if not all of several blocks were blanked: then what is around them is damaged."""
        return len(blocks) == 1 or any(
            self.lines[number].strip() for block in blocks for number in block.lines
        )

    def _mend_leaf(self, block: Block, context: Sequence[int], allowed: int) -> bool:
        """Blanks as little as possible of a block so that its context parses."""
        if self._end_statements(block, context, allowed):
            return True
        if self._delete_tokens(block, context, allowed):
            return True
        saved = self.lines[:]
        for lines in (block.frame, block.lines):
            for placeholder in _PLACEHOLDERS:
                self._blank(lines, placeholder)
                if self._is_sound(block.lines, context, allowed):
                    self.blanked.append(block)
                    return True
                self.lines = saved[:]
            if block.first == block.last:
                break
        return False

    def _blank(self, numbers: Iterable[int], placeholder: bytes) -> None:
        for number in numbers:
            line = self.lines[number]
            body = line.rstrip(b"\r\n")
            indent = len(body) - len(body.lstrip())
            kept = placeholder if len(body) - indent >= len(placeholder) else b""
            self.lines[number] = (body[:indent] + kept).ljust(len(body)) + line[len(body) :]
            placeholder = b""

    def _end_statements(self, block: Block, context: Sequence[int], allowed: int) -> bool:
        """Puts semicolons before closing brackets, where a line ends a statement."""
        saved = self.lines[:]
        for number in block.lines:
            self.lines[number] = _BEFORE_CLOSING.sub(b";", self.lines[number])
        if self.lines != saved and self._is_sound(block.lines, context, allowed):
            return True
        self.lines = saved
        return False

    def _delete_tokens(self, block: Block, context: Sequence[int], allowed: int) -> bool:
        """Blanks the shortest run of tokens in a block's outer lines without which it parses."""
        if sum(len(self.lines[number]) for number in block.frame) > HEADER_LIMIT:
            return False
        kept = declared_names(self._grammar, self.lines, block)
        balance = sum(map(bracket_balance, self.lines[block.first : block.last + 1]))
        candidates = sorted(
            (
                abs(balance - bracket_balance(self.lines[number][start:end])),
                end - start,
                number,
                start,
                end,
            )
            for number in block.frame
            for start, end in _token_runs(self.lines[number])
            if not any(number == on and start < to and at < end for on, at, to in kept)
        )
        for _, _, number, start, end in candidates[:DELETION_TRIES]:
            line = self.lines[number]
            self.lines[number] = line[:start] + b" " * (end - start) + line[end:]
            if (
                self.lines[number].strip()
                and self._is_sound(block.lines, context, allowed)
                and (not kept or self._declares(kept[-1], block, context))
            ):
                return True
            self.lines[number] = line
        return False

    def _declares(self, name: tuple[int, int, int], block: Block, context: Sequence[int]) -> bool:
        """True if the grammar now finds a declaration with the name on this line and column."""
        numbers = sorted({*context, *block.lines})
        line, column, _ = name
        at = column + sum(len(self.lines[number]) for number in numbers if number < line)
        root = self._parser.parse(b"".join(self.lines[number] for number in numbers)).root_node
        found = definitions_of(self._grammar.declaration_query(), root)
        return any(definition.name == at for definition in found)


def _conditional_lines(pattern: re.Pattern[bytes], text: bytes, first: int) -> Iterator[Block]:
    """The lines from each outermost `#if` to its `#endif`; `first` is the text's first line."""
    opened: list[int] = []
    for match in pattern.finditer(text):
        line = first + text.count(b"\n", 0, match.start())
        if match.lastgroup == "open":
            opened.append(line)
        elif match.lastgroup == "close" and opened:
            start = opened.pop()
            if not opened:
                yield Block(start, line, (start, line))


def _token_runs(line: bytes) -> Iterator[tuple[int, int]]:
    """The byte ranges of a few tokens that follow each other, and of all between two brackets."""
    tokens = [(match.start(), match.end()) for match in _TOKEN.finditer(line)]
    last = len(tokens) - 1
    while last > 0 and line[tokens[last][0] : tokens[last][1]] in _CLOSING.values():
        last -= 1
    for index, (start, end) in enumerate(tokens):
        for _, run_end in tokens[index : index + DELETED_TOKENS]:
            yield start, run_end
        if last >= index + DELETED_TOKENS:
            yield start, tokens[last][1]
        opening = line[start:end]
        closing = _CLOSING.get(opening)
        depth = 0
        for inner_start, inner_end in tokens[index:] if closing else ():
            token = line[inner_start:inner_end]
            depth += (token == opening) - (token == closing)
            if depth == 0:
                yield start, inner_end
                if index:
                    yield tokens[index - 1][0], inner_end
                break
