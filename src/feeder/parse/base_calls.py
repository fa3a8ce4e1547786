"""Names the base's member that a call without its name means: `super` in Ruby."""

from tree_sitter import Node

from feeder.parse.grammars import Capture


def base_member(called: Capture, inside: str | None) -> bytes:
    """The name of the base's member: the captured name, as in `inherited Add`.

    `inside` names the syntax of a method, if the capture is a word that calls the base's member of
    the method's own name: `super` and `inherited`. Empty outside of such a method.
    """
    if not isinstance(called, Node):
        return b""
    if not inside:
        return called.text or b""
    outer = called.parent
    while outer and outer.type not in inside.split():
        outer = outer.parent
    header = outer and (outer.child_by_field_name("header") or outer)
    name = header and header.child_by_field_name("name")
    return ((name and name.text) or b"").rpartition(b".")[2]
