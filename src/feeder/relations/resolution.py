"""Decides whether a site refers to a definition, from what the files say: imports, enclosing class,
declared types of receivers, package, and uniqueness of the name.

Start with `Resolver.resolve`. Nothing is compiled or run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from feeder.relation import (
    CALL,
    IMPLEMENTS,
    IMPORT,
    INHERITS,
    LITERAL_KEY,
    MENTION,
    PARAMETER,
    UNNAMED,
    UNNAMED_MEMBER,
    USE,
    Relation,
)
from feeder.relations.exports import ExportFinder
from feeder.relations.file_facts import SELF_NAMES, FileFacts, Import
from feeder.relations.member_resolution import MemberResolver
from feeder.relations.modules import Definition
from feeder.relations.name_resolution import NameResolver
from feeder.relations.outcomes import (
    RESOLVED,
    Evidence,
    Reason,
    Resolution,
    elsewhere,
    possible,
    resolved_if,
)
from feeder.relations.receiver_types import NO_FAMILY, Family, is_built_in
from feeder.store.relations import RelatedNode, line_numbers
from feeder.text import last_name
from feeder.traits import are_compatible, traits

_MAY_BE_BELOW = possible(Reason.COMPETING)

QUALIFIED_SITES = frozenset({CALL, MENTION, INHERITS, IMPLEMENTS, UNNAMED, USE})
"""The kinds of sites that may have a qualifier: `shop.Cart`."""


class Resolver:
    """Resolves sites of one definition's name.

    `others` are all definitions of that name, the definition itself among them. `owner` is the
    definition of the type around it, None for a name of a module. `exports` follows imports.
    """

    def __init__(
        self,
        definition: Definition,
        others: Sequence[Definition],
        owner: Definition | None,
        exports: ExportFinder,
        family: Family = NO_FAMILY,
    ) -> None:
        self._definition = definition
        self._family = family
        self._names = NameResolver(definition, others, exports)
        self._members = (
            MemberResolver(self._names, owner, family) if owner and not definition.is_type else None
        )

    def resolve_lines(
        self, facts: FileFacts, node: RelatedNode, relation: Relation
    ) -> Iterator[tuple[int, Resolution]]:
        """Yields each line of a relation with its resolution; see `resolve`."""
        first, *others = line_numbers(node, relation)
        resolved = self.resolve(facts, node, relation, first)
        yield first, resolved
        may_be_lent = not relation.qualifier and bool(traits(node.language).lending_calls)
        may_vary = (
            others
            and self._members
            and (may_be_lent or facts.has_types(node.symbol, relation.qualifier))
        )
        for line in others:
            yield line, self.resolve(facts, node, relation, line) if may_vary else resolved

    def resolve(  # noqa: PLR0911, PLR0912 - one for each rule
        self, facts: FileFacts, node: RelatedNode, relation: Relation, line: int
    ) -> Resolution:
        """Resolves a site; only the receiver, or its type, depends on the line."""
        if not are_compatible(node.language, self._definition.language):
            return elsewhere(Evidence.ANOTHER_LANGUAGE)
        if relation.kind == IMPORT:
            return self._resolve_import(facts, relation)
        if relation.qualifier.endswith("."):  # start..size(), cart..add() of Dart
            receiver = relation.qualifier[:-1] if traits(node.language).cascades else ""
            relation = relation._replace(qualifier=receiver)
        if _is_parameter(node, relation):
            return elsewhere(Evidence.LOCAL)
        if relation.qualifier.endswith(UNNAMED_MEMBER):
            return self._resolve_unnamed(facts, node, relation, line)
        if other := self._known_other(facts, node, relation):
            return other
        if relation.qualifier == LITERAL_KEY:
            return self._resolve_key(facts, relation.name)
        if relation.qualifier.endswith(LITERAL_KEY):
            relation = relation._replace(qualifier=relation.qualifier.removesuffix(LITERAL_KEY))
            if self._members and traits(node.language).constructor:
                return self._members.resolve_label(facts, node, relation.qualifier)
        if self._definition.is_extension and relation.kind in {CALL, MENTION}:
            return self._resolve_extension(facts, node, relation, line)
        if self._members:
            return self._members.resolve(facts, node, relation, line)
        if relation.qualifier and relation.kind in QUALIFIED_SITES:
            return self._names.resolve_qualified(facts, node, relation)
        nearest = self._names.nearest_constant(node, relation.name)
        if nearest and nearest != self._definition.symbol:
            return self._names.another(lambda one: one.symbol == nearest)
        return RESOLVED if "." in nearest else self._names.refers(facts, relation.name)

    def _resolve_unnamed(
        self, facts: FileFacts, node: RelatedNode, relation: Relation, line: int
    ) -> Resolution:
        """A member of a class without a name, whose base is the definition's type or one below."""
        base = relation.qualifier.removesuffix(UNNAMED_MEMBER)
        if not self._members:
            return elsewhere(Evidence.ANOTHER_TYPE)
        result = self._members.resolve(facts, node, relation._replace(qualifier=base), line)
        if result.is_resolved:
            return result
        names = {last_name(base), *(import_.name for import_ in facts.imported(base))}
        below = {last_name(symbol) for _, symbol in self._family.all_below}
        return elsewhere(Evidence.ANOTHER_TYPE) if names.isdisjoint(below) else _MAY_BE_BELOW

    def _known_other(  # noqa: PLR0911 - one for each rule
        self, facts: FileFacts, node: RelatedNode, relation: Relation
    ) -> Resolution | None:
        """The evidence that a site's form or file alone gives, if any."""
        definition = self._definition
        if relation.qualifier.endswith(LITERAL_KEY):
            if traits(node.language).family == "scripts":  # may be a method: { add() {} }
                return None if self._members else elsewhere(Evidence.ANOTHER_TYPE)
            if definition.is_function:
                return elsewhere(Evidence.NOT_FUNCTION)
        is_of_type = relation.qualifier.removesuffix(LITERAL_KEY) not in {"", relation.qualifier}
        if is_of_type and definition.is_type and traits(node.language).imports != "folders":
            return elsewhere(Evidence.ANOTHER_TYPE)  # in Go, an embedded field is named as its type
        is_apart = definition.is_function and traits(node.language).functions_apart
        if relation.kind == USE and is_apart:
            return elsewhere(Evidence.NOT_FUNCTION)
        if not self._members:
            return None
        if definition.is_local and facts.path != definition.path:
            return elsewhere(Evidence.NOT_VISIBLE)
        if is_apart and self._is_field_access(node, relation):
            return elsewhere(Evidence.FIELD)
        return None

    def _resolve_key(self, facts: FileFacts, name: str) -> Resolution:
        """A name before `:` in a literal: a field, or a constant if the type is a map."""
        result = possible(Reason.RECEIVER) if self._members else self._names.refers(facts, name)
        return possible(Reason.RECEIVER) if result.is_resolved else result

    def _resolve_extension(
        self, facts: FileFacts, node: RelatedNode, relation: Relation, line: int
    ) -> Resolution:
        """A call of an extension of Kotlin, whose receiver is a value of the extended type."""
        result = self._names.refers(facts, relation.name)
        if not result.is_resolved:
            return result
        if not (self._names.is_unique or facts.imported(relation.name)):
            return possible(Reason.COMPETING)
        if not relation.qualifier or not self._family.names:
            return result
        if relation.qualifier in SELF_NAMES:
            own_class = facts.enclosing_class(node.symbol)
            return resolved_if((facts.path, own_class) in self._family.own, Reason.RECEIVER)
        made = last_name(relation.qualifier)
        if made.endswith("()"):  # Builder().signed(name)
            types = [made.removesuffix("()")]
        else:
            types = [
                last_name(type_) for type_ in facts.types_of(node.symbol, relation.qualifier, line)
            ]
        if types and is_built_in(facts, types[0], self._definition, self._family):
            return elsewhere(Evidence.BUILT_IN)
        return resolved_if(bool(types) and types[0] in self._family.names, Reason.RECEIVER)

    def _is_field_access(self, node: RelatedNode, relation: Relation) -> bool:
        """Tells whether a site is a field, where the definition is a method: `cart.size`.

        A path of Rust, as in `Cart::size`, may be a method as a value.
        """
        if relation.kind != MENTION or not relation.qualifier:
            return False
        if not traits(node.language).methods_by_path:
            return node.language == self._definition.language
        last = last_name(relation.qualifier)
        return last[:1].islower() and last not in traits(node.language).builtin_types

    def _resolve_import(self, facts: FileFacts, relation: Relation) -> Resolution:
        if not self._members:
            return self._names.import_refers(facts, Import(relation.module, relation.name))
        if self._members.is_owner(facts, relation.module):
            return RESOLVED
        if self._members.is_around_owner(facts, relation.module):
            return possible(Reason.OUTER_SCOPE)
        return elsewhere(Evidence.ANOTHER_MODULE)


def _is_parameter(node: RelatedNode, relation: Relation) -> bool:
    """Tells whether a name without a receiver is a parameter of the method or function around it.

    Parameters of functions inside of it, and those that a language's queries do not capture, are
    not known. Python's queries leave out parameters, but a default value of the same name, as
    in `token=token`, is a reference.
    """
    kinds = {MENTION} if traits(node.language).method_first else {CALL, MENTION}
    return (
        not relation.qualifier
        and relation.kind in kinds
        and node.has_named(relation.name, PARAMETER)
        and node.node_type == "method"
        and not traits(node.language).omits_parameters
    )
