"""Collects the relations of a file's nodes: what they call, inherit, use and import, by name.

A grammar's category `Relation` captures identifiers. What an identifier means is not resolved here.
The names that manifests give to modules come from `parse.manifests`.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from feeder.parse.base_calls import base_member
from feeder.parse.call_labels import label_sites
from feeder.parse.file_imports import ALL, FileImports
from feeder.parse.grammars import Capture, Captures
from feeder.parse.literal_keys import LiteralKeys, unnamed_members
from feeder.parse.local_names import LocalNames, byte_range
from feeder.parse.macro_text import expanded_names
from feeder.parse.member_scopes import MemberScopes
from feeder.parse.relation_captures import DETAIL_KINDS, KINDS, RANKS
from feeder.parse.relation_names import (
    ACCESS_LIMIT,
    DOT,
    EXPRESSION,
    MODULE_LIMIT,
    NAME_LIMIT,
    NAME_STARTS,
    OPENING,
    PRECEDING,
    QUOTE,
    RECEIVER_LIMIT,
    SEPARATOR_ENDS,
    SIGIL,
    Cache,
    CapturedRelation,
    Site,
    accesses,
    called_name,
    checked_name,
    declared_names,
    named_relation,
    path_offsets,
    receiver_of,
    relation_of,
)
from feeder.relation import (
    BINDING,
    CALL,
    EXPORT,
    IMPORT,
    INHERITS,
    MENTION,
    RETURNS,
    USE,
)

OWN_TYPE = "cls"
"""The receiver of a type's member that code in the body of the type uses without one."""

SITES_LIMIT = 20_000
"""Maximum relations of a file: one with more is probably generated, and its others are left out."""

Match = tuple[int, Captures]
"""The index of a pattern, and one match of it by the names of its captures."""


_names = {
    capture: Cache(partial(named_relation, KINDS[capture], receiver=""))
    for capture in ("calls", "uses", "inherits", "implements", "unnamed", "attributes")
}
"""Names without a receiver, by the capture that has them."""


class RelationCollector:
    """Collects the captures of the category `Relation` of one file or region."""

    def __init__(self, content: bytes, settings: Callable[[int], Mapping[str, str | None]]) -> None:
        self._content = content + b"\n"  # an expression at its end also has a byte that follows
        self._settings = settings
        self._sites: dict[int, CapturedRelation] = {}
        self._details: set[Site] = set()
        self._literal_keys = LiteralKeys(self._content)
        self._bare_mentions: defaultdict[bytes, list[int]] = defaultdict(list)
        self._implicit: set[bytes] = set()
        self._letters: list[tuple[int, bytes]] = []
        """Types of one letter, most of which are type parameters."""
        self._are_names_visible = False
        self._statements: list[tuple[int, int]] = []
        self._locals = LocalNames(self._content)
        self._member_scopes = MemberScopes(self._content)
        self._receivers: defaultdict[bytes, list[int]] = defaultdict(list)
        self._declared: set[int] = set()
        self._extended: set[int] = set()
        self._existing_names: set[bytes] = set()
        self._imports = FileImports(self._content, self._declared, self._existing_names)
        self._has_labels = False

    def declare(self, names: Sequence[Capture], kind: str) -> None:
        """Notes the name of a declaration, which is not a relation.

        The name of a call may be a type, as in `describe Cart do`: that is one.
        """
        starts = [name.start_byte for name in names]
        if kind == "call" and self._is_type_alone(starts[0]):
            return
        self._declared.update(starts)
        if kind == "method":
            self._member_scopes.declare(names[-1], has_value=True)
        start, end = starts[-1], names[-1].end_byte
        if end - start <= NAME_LIMIT:
            source = self._content[start:end]
            self._existing_names.add(source)
            if b":" in source:  # Cart::add
                self._declared.add(start + source.rindex(b":") + 1)

    def _is_type_alone(self, start: int) -> bool:
        """Tells whether a name begins with a capital letter, and is not in quotes."""
        content = self._content
        return content[start : start + 1].isupper() and content[start - 1] in b" (\n"

    def declare_member(self, names: Sequence[Capture], *, is_of_file: bool) -> None:
        """Notes the name of a member, whose declaration is no relation.

        One of the file itself, such as a constant, can be used without a receiver.
        """
        self._declared.update([name.start_byte for name in names])
        if is_of_file:
            content = self._content
            self._existing_names.update(content[name.start_byte : name.end_byte] for name in names)
            return
        for name in names:
            self._member_scopes.declare(name, has_value=False)

    def collect(  # noqa: PLR0912, PLR0915 - one for each frequent capture
        self, matches: Iterable[Match]
    ) -> Iterator[Match]:
        """Adds the matches of the category; yields those of others."""
        content, sites, mentions = self._content, self._sites, self._bare_mentions
        capture_of: dict[int, str] = {}
        for match in matches:
            pattern, captures = match
            try:  # all matches of a pattern have the same captures
                capture = capture_of[pattern]
            except KeyError:
                capture = next(filter(captures.__contains__, KINDS), "")
                capture_of[pattern] = capture
                self._are_names_visible |= capture.startswith("visible")
                self._has_labels |= bool(capture) and "labels" in self._settings(pattern)
            if not capture:
                yield match
            elif capture == "accesses":
                node = captures["accesses"][0]
                start, end = node.start_byte, node.end_byte
                if end - start > ACCESS_LIMIT:
                    start = end - ACCESS_LIMIT
                length, relation = accesses[content[start : end + 1]]
                if relation and sites.setdefault(end - length, relation) is not relation:
                    self._replace(end - length, relation)
            elif capture == "mentions":
                node = captures["mentions"][0]
                start, end = node.start_byte, node.end_byte
                if content[start - 1] == DOT != content[start - 2]:  # a member; but not `...items`
                    continue
                if content[end] == DOT:  # a receiver, which the relation of what follows has
                    self._receivers[content[start:end]].append(start)
                else:
                    mentions[content[start:end]].append(start)
            elif capture == "key":
                self._literal_keys.add(captures["key"])
            elif capture == "shorthand":
                self._literal_keys.add(captures["shorthand"], is_shorthand=True)
                node = captures["shorthand"][0]
                mentions[content[node.start_byte : node.end_byte]].append(node.start_byte)
            elif capture == "fields":
                self._literal_keys.add_fields(captures)
            elif capture == "visible":
                self._add_visible(captures["visible"][0])
            elif capture == "locals":
                self._locals.add(captures["locals"], captures.get("local_scope"))
            elif capture == "local_scope":
                self._locals.add_scope(captures["local_scope"][0])
            elif capture == "member_scope":
                self._member_scopes.add_scope(captures["member_scope"][0])
            elif capture in _names:
                bare_names = _names[capture]
                for node in captures[capture]:
                    start = node.start_byte
                    if content[start - 1] in NAME_STARTS:
                        self._add_name(KINDS[capture], start, node.end_byte)
                        continue
                    relation = bare_names[content[start : node.end_byte]]
                    if relation is None:
                        self._letters.append((start, content[start : node.end_byte]))
                    elif sites.setdefault(start, relation) is not relation:
                        self._replace(start, relation)
            else:
                self._add_other(capture, pattern, captures)

    def _add_visible(self, node: Capture) -> None:
        """Adds a name without a receiver, which is no call.

        A type before a dot is left out: the relation of what follows has it as its receiver.
        """
        content = self._content
        start, end = node.start_byte, node.end_byte
        if content[end] == OPENING:
            return
        if content[start - 1] in SEPARATOR_ENDS and self._has_receiver(start):
            return
        source = content[start:end].strip(QUOTE)
        if content[end] != DOT or not source[:1].isupper() or source.isupper():
            self._bare_mentions[source].append(start)

    def _has_receiver(self, start: int) -> bool:
        """Tells whether a separator precedes a name: `.`, `->`, `::`, but not `..` of a range."""
        content = self._content
        last = content[start - 1]
        if last not in SEPARATOR_ENDS:
            return False
        before = content[start - 2 : start - 1]
        return before != b"." if last == DOT else before == PRECEDING.get(last, before)

    def _add_token(self, node: Capture, *, is_implicit: bool) -> None:
        """Adds an identifier: a call if `(` follows, otherwise a mention.

        One that is implicit is a call too if no local variable of the file has its name.
        """
        content = self._content
        start, end = node.start_byte, node.end_byte
        if content[end] == OPENING:
            self._add_name(CALL, start, end)
        elif self._has_receiver(start):
            self._add_name(MENTION, start, end)
        else:
            source = content[start:end].strip(QUOTE)
            if len(source) > 1 or not source.isupper():  # a type parameter
                self._bare_mentions[source].append(start)
            if is_implicit:
                self._implicit.add(source)

    def _add_expansion(self, captures: Captures) -> None:
        """Adds the names that the text of a macro calls, or the only name that it consists of.

        In Ruby the macro is an alias, and the text the name of a method.
        """
        macro = checked_name(self._source(captures["macro"]).lstrip(b":"))
        self._declared.add(captures["macro"][0].start_byte)
        parameters = self._source(captures.get("bound", [])[:1])
        start = captures["expands"][0].start_byte
        text = self._source(captures["expands"][:1])
        for offset, relation in expanded_names(macro, parameters, text):
            self._sites.setdefault(start + offset, relation)

    def _add_unpacked(self, captures: Captures, form: str | None) -> None:
        """Adds a member that a pattern reads: `const { size } = cart`, `case Cart(size=0)`.

        With `form` "call" it is a method: `@Audit(level = 2)` of Java. Its receiver is the type of
        the pattern, where code names that.
        """
        bound = captures.get("bound")
        receiver = self._last_name(bound[-1])[1] if bound else ""
        kind = CALL if form == "call" else MENTION
        for node in captures["unpacked"]:
            start = node.start_byte
            relation = named_relation(kind, self._source([node]), receiver or EXPRESSION)
            if relation and (receiver or start not in self._sites):
                self._sites[start] = relation

    def _add_exported(self, node: Capture) -> None:
        source = self._source([node])
        self._bare_mentions[source].append(node.start_byte)
        if source[:1].isupper():  # no local name
            self._existing_names.add(source)

    def _add_symbols(self, nodes: Sequence[Capture], *, has_receiver: bool) -> None:
        """Adds the methods that symbols of Ruby name: `map(&:size)`, `before_action :load`."""
        for node in nodes:
            start = node.start_byte
            is_of_element = has_receiver or self._content[start - 1 : start] == b"&"
            source = self._content[start + 1 : node.end_byte]
            if relation := named_relation(MENTION, source, EXPRESSION if is_of_element else ""):
                self._sites.setdefault(start, relation)

    def _add_other(  # noqa: PLR0912 - one for each capture
        self, capture: str, pattern: int, captures: Captures
    ) -> None:
        kind = KINDS[capture]
        if kind in DETAIL_KINDS:
            self._add_detail(kind, captures[capture], captures)
        elif kind == IMPORT:
            self._imports.add(captures, self._settings(pattern))
        elif capture == "statement":
            self._statements.append(byte_range(captures["statement"][0]))
        elif capture == "argument_label":
            for node in captures[capture]:
                offsets = path_offsets(self._source([node]))
                self._declared.update([node.start_byte + at for at in offsets])
        elif capture in {"tokens", "visible_tokens", "implicit"}:
            self._add_token(captures[capture][0], is_implicit=capture == "implicit")
        elif capture == "expands":
            self._add_expansion(captures)
        elif capture == "symbol":
            self._add_symbols(captures["symbol"], has_receiver="receiver" in captures)
        elif capture == "unpacked":
            self._add_unpacked(captures, self._settings(pattern).get("unpacked"))
        elif capture == "overrides":
            self._details.update(unnamed_members(self._content, captures))
        elif capture == "exported":
            self._add_exported(captures["exported"][0])
        elif capture == "base":
            inside = self._settings(pattern).get("inside")
            for node in captures["base"]:
                if relation := named_relation(CALL, base_member(node, inside), "super"):
                    self._sites[node.start_byte] = relation
        elif capture == "variant":
            [name] = captures["bound"]
            relation = relation_of(INHERITS, "", checked_name(self._source([name])))
            self._details.update((node.start_byte, relation) for node in captures[capture])
        elif capture == "extends":
            self._extended.update([node.start_byte for node in captures["extends"]])
        elif capture == "owner":
            self._add_owners(captures["owner"])
        else:
            self._add_export(captures, self._settings(pattern).get("exported"))

    def _add_owners(self, nodes: Sequence[Capture]) -> None:
        """Adds the types in the path of an import, which begin with a capital letter: `Cart` of
        `import static shop.Cart.open`.
        """
        for node in nodes:
            start = node.start_byte
            if self._content[start : start + 1].isupper():
                self._extended.add(start)
                self._add_name(USE, start, node.end_byte)

    def sites(self) -> list[Site]:
        """The relations in the order of their offsets.

        An identifier without a receiver is a mention unless a local variable has its name. Where
        names are not visible without an import, it is one only if the file imports or declares its
        name. So is a type of one letter, which otherwise is taken for a type parameter.
        """
        sites, mentions, keys = self._sites, self._bare_mentions, self._literal_keys
        statements = {start: self._content[start:end] for start, end in self._statements}
        counted = self._existing_names.intersection(mentions)
        if self._are_names_visible or self._imports.have_wildcard:
            counted = set(mentions)
        names = {*statements.values(), *counted, *self._implicit}
        self._add_own_members()
        self._locals.remove_from(mentions, names, self._declared)
        existing = {start for source in set(statements.values()) for start in mentions[source]}
        for start, end in self._statements:
            if start in existing:
                self._add_name(CALL, start, end)
        for source in self._implicit - self._locals.unscoped - self._existing_names:
            if relation := named_relation(CALL, source, ""):
                for start in mentions.pop(source):
                    sites.setdefault(start, relation)
        imports = self._imports.sites()
        imported = {start for start, _ in imports}
        for source in counted:
            if starts := mentions.get(source):
                relation = relation_of(MENTION, source.decode("utf-8", "replace"), "")
                for start in starts:
                    sites.setdefault(start, relation)
        self._add_letters()
        if self._has_labels:
            keys.relations.update(label_sites(self._content, sites, self._declared))
        for start in sites.keys() & ((self._declared - self._extended) | imported | keys.keys):
            del sites[start]
        found = [*sites.items(), *keys.relations.items(), *self._details, *imports]
        return sorted(found)[:SITES_LIMIT]

    def _add_own_members(self) -> None:
        """Adds the uses of a type's members in its body, as if `cls.` preceded them.

        A type in an annotation means the one that the file imports or declares, if it does.
        """
        found = self._bare_mentions, self._receivers
        for start, source in self._member_scopes.own_uses(found, self._locals.scopes):
            kind = self._sites[start].kind if start in self._sites else MENTION
            if kind != USE or source not in self._existing_names:
                name = source.decode("utf-8", "replace")
                self._sites[start] = relation_of(kind, name, OWN_TYPE)

    def _add_letters(self) -> None:
        """Adds the types of one letter that the file imports or declares."""
        for start, source in self._letters:
            if source in self._existing_names and (name := checked_name(source)):
                self._sites.setdefault(start, relation_of(USE, name, ""))

    def _replace(self, start: int, relation: CapturedRelation) -> None:
        """Replaces the relation of an identifier if the kind of this one counts more."""
        if RANKS[relation.kind] < RANKS[self._sites[start].kind]:
            self._sites[start] = relation

    def _add_name(self, kind: str, start: int, end: int) -> None:
        content = self._content
        receiver = ""
        before = start - 1 if content[start - 1] == SIGIL else start
        if content[before - 1] in SEPARATOR_ENDS:
            receiver = receiver_of(content[max(0, before - RECEIVER_LIMIT) : before])
        relation = named_relation(kind, content[start:end], receiver)
        if relation and self._sites.setdefault(start, relation) is not relation:
            self._replace(start, relation)

    def _add_detail(self, kind: str, nodes: Sequence[Capture], captures: Captures) -> None:
        bound = captures.get("bound")
        if constructed := captures.get("constructed"):
            start = constructed[-1].start_byte
            if not self._content[start : start + 2].lstrip(b"_")[:1].isupper():
                return  # a function is called, whose result has another type
            bound = constructed
        qualifier = self._last_name(bound[-1])[1] if bound else ""
        if made := captures.get("made"):
            qualifier = called_name(self._source(made))
        for node in nodes:
            start, name = self._last_name(node)
            if name and (qualifier or kind != BINDING) and (kind != RETURNS or len(name) > 1):
                self._details.add((start, relation_of(kind, name, qualifier)))

    def _add_export(self, captures: Captures, exported: str | None) -> None:
        """Adds a name that the file exports by another one: `default`, or empty for the module."""
        [node] = captures["exports"]
        name = checked_name(self._source([node]))
        if aliases := captures.get("alias"):
            self._declared.add(aliases[0].start_byte)
            exported = checked_name(self._source(aliases[:1]))
        if name and exported == ALL:
            self._imports.spread.append((node.start_byte, name))
        elif name and exported is not None and name != exported:
            self._details.add((node.start_byte, relation_of(EXPORT, name, exported)))

    def _last_name(self, node: Capture) -> tuple[int, str]:
        """The name of a declarator or a type, with the offset of the node.

        The name is `item` of `&item`, and `Vec` of `&std::Vec<Item>`.
        """
        start, end = node.start_byte, node.end_byte
        if end - start > MODULE_LIMIT:
            return start, ""
        return start, declared_names[self._content[start:end]]

    def _source(self, nodes: Sequence[Capture]) -> bytes:
        """The source of a name, of which several nodes are the parts; empty without nodes."""
        return self._content[nodes[0].start_byte : nodes[-1].end_byte] if nodes else b""
