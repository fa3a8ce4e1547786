"""A member may have the name of what it is in: it is a node as any other, first or last."""

import re

import pytest

from parse.outlines import nodes

OWN, OTHER = "Cart", "Card"
"""Of the same length, so that all offsets are equal."""

# `{}` is the member's name; what it is in is called Cart
SOURCES = {
    "class.py": "class Cart:\n    x = 1\n\n    def {}(self):\n        return 1\n",
    "nested.py": "class Cart:\n    x = 1\n\n    class {}:\n        y = 2\n",
    "decorated.py": "@first\nclass Cart:\n    x = 1\n\n    @last\n    def {}(self): ...\n",
    "async.py": "class Cart:\n    async def {}(self):\n        await one()\n",
    "field.py": "class Cart:\n    x: int = 1\n    {}: int = 2\n",
    "function.py": "def Cart():\n    class {}:\n        x = 1\n",
    "class.scala": "class Cart:\n  def other = 1\n  def {} = 2\n",
    "object.scala": "object Cart:\n  val x = 1\n  class {}(y: Int)\n",
    "braces.scala": "object Cart {\n  def other = 1\n  case class {}(x: Int) }\n",
    "function.scala": "object Cart:\n  def other(x: Int) = x\n  def {}(x: Int): Int =\n    x\n",
    "trait.scala": "trait Cart:\n  def {}: Int\n",
    "enum.scala": "enum Cart:\n  case One\n  case {}\n",
    "package.scala": "package Cart\n\nclass {}:\n  def other = 1\n",
    "class.java": "class Cart {\n  int x;\n  void {}() { x = 1; }\n}\n",
    "field.java": "class Cart {\n  int x;\n  int {};\n}\n",
    "inner.java": "class Cart {\n  class {} {\n    int x;\n  }\n}\n",
    "enum.java": "enum Cart {\n  ONE,\n  {}\n}\n",
    "class.cs": "class Cart {\n  int x;\n  void {}() { x = 1; }\n}\n",
    "namespace.cs": "namespace Cart;\n\nclass {} {\n  int x;\n}\n",
    "property.cs": "class Cart {\n  int x;\n  int {} { get; set; }\n}\n",
    "class.dart": "class Cart {\n  int x = 0;\n  int {}() => 1;\n}\n",
    "class.php": "<?php\nclass Cart {\n  public $x;\n  function {}() { return 1; }\n}\n",
    "namespace.php": "<?php\nnamespace Cart;\n\nclass {} {\n  public $x;\n}\n",
    "type.go": "package cart\n\ntype Cart struct {\n\tx int\n\t{} int\n}\n",
    "method.go": "package cart\n\ntype Cart struct{}\n\nfunc (c Cart) {}() {}\n",
    "interface.go": "package cart\n\ntype Cart interface {\n\t{}() int\n}\n",
    "class.kt": "class Cart {\n  val x = 1\n  fun {}() = 2\n}\n",
    "companion.kt": "class Cart {\n  companion object {\n    fun {}() = 1\n  }\n}\n",
    "inner.kt": "class Cart {\n  class {} {\n    val x = 1\n  }\n}\n",
    "object.kt": "object Cart {\n  val x = 1\n  val {} = 2\n}\n",
    "class.rb": "class Cart\n  def other\n    1\n  end\n  def {}\n    2\n  end\nend\n",
    "module.rb": "module Cart\n  class {}\n    def other\n      1\n    end\n  end\nend\n",
    "class.ts": "export class Cart {\n  x = 1\n  {}() { return 1 }\n}\n",
    "namespace.ts": "namespace Cart {\n  export class {} {\n    x = 1\n  }\n}\n",
    "arrow.ts": "class Cart {\n  x = 1\n  {} = () => {\n    return 1\n  }\n}\n",
    "interface.ts": "interface Cart {\n  x: number\n  {}(): void\n}\n",
    "expression.ts": "export const Cart = class {} {\n  x = 1\n}\n",
    "class.js": "class Cart {\n  other() { return 1 }\n  {}() { return 2 }\n}\n",
    "object.js": "const Cart = {\n  other() { return 1 },\n  {}() { return 2 }\n}\n",
    "value.js": "const Cart = {\n  other() { return 1 },\n  {}: function () { return 2 }\n}\n",
    "module.rs": "mod Cart {\n  pub struct {} {\n    x: i32,\n  }\n}\n",
    "impl.rs": "struct Cart;\n\nimpl Cart {\n  fn other() {}\n  fn {}() {}\n}\n",
    "trait.rs": "trait Cart {\n  fn other();\n  fn {}();\n}\n",
    "enum.rs": "enum Cart {\n  One,\n  {},\n}\n",
    "class.cpp": "class Cart {\npublic:\n  int x;\n  int {}() { return 1; }\n};\n",
    "namespace.cpp": "namespace Cart {\nclass {} {\n  int x;\n};\n}\n",
    "struct.c": "struct Cart {\n  int x;\n  int {};\n};\n",
    "class.swift": "class Cart {\n  var x = 1\n  func {}() {}\n}\n",
    "enum.swift": "enum Cart {\n  case one\n  case {}\n}\n",
    "inner.swift": "struct Cart {\n  struct {} {\n    var x = 1\n  }\n}\n",
    "class.groovy": "class Cart {\n  int x\n  def {}() { 1 }\n}\n",
    "module.ex": "defmodule Cart do\n  defmodule {} do\n    def other, do: 1\n  end\nend\n",
    "struct.zig": "const Cart = struct {\n    x: i32,\n    fn {}() void {}\n};\n",
    "class.m": "@implementation Cart\n- (void)other { }\n- (void){} { }\n@end\n",
    "module.jl": "module Cart\nstruct {}\n  x\nend\nend\n",
    "module.ml": "module Cart = struct\n  module {} = struct\n    let x = 1\n  end\nend\n",
    "class.hs": "module Shop where\n\nclass Cart a where\n  {} :: a\n",
    "class.pas": (
        "unit a;\ninterface\ntype\n  Cart = class\n    procedure {};\n  end;\n"
        "implementation\nend.\n"
    ),
    "message.proto": "message Cart {\n  int32 x = 1;\n  message {} {\n    int32 y = 1;\n  }\n}\n",
    "type.graphql": "type Cart {\n  x: Int\n  {}: Int\n}\n",
    "class.ps1": "class Cart {\n  [int]$x\n  [int]{}() { return 1 }\n}\n",
    "package.pm": "package Cart;\n\nsub other { 1 }\nsub {} { 2 }\n1;\n",
    "table.lua": "local Cart = {}\nfunction Cart.{}() return 1 end\n",
    "chapter.md": f"# Cart\n\n{'text ' * 900}\n\n## {{}}\n\n{'text ' * 900}\n",
    "keys.yaml": f"Cart:\n  x: {'text ' * 500}\n  {{}}:\n    y: {'text ' * 500}\n",
    "keys.toml": f"[Cart]\nx = '{'text ' * 500}'\n[Cart.{{}}]\ny = '{'text ' * 500}'\n",
    "keys.json": f'{{"Cart": {{"x": "{"text " * 500}", "{{}}": {{"y": "{"text " * 500}"}}}}}}',
    "tree.xml": f"<Cart><x>{'text ' * 500}</x><{{}}>{'text ' * 500}</{{}}></Cart>",
}


def outline(path: str, name: str) -> list[tuple[str, ...]]:
    """Type, name, lines and members of each node; the member's own name as `{}`."""
    source = SOURCES[path].replace("{}", name)
    return [
        (
            node.node_type,
            node.symbol or node.logical_path or "",
            f"{node.start_line}-{node.end_line}",
            str(node.members),
        )
        for node in nodes(path, source)
    ]


@pytest.mark.parametrize("path", SOURCES)
def test_member_may_have_the_name_of_what_it_is_in(path: str) -> None:
    own, other = outline(path, OWN), outline(path, OTHER)
    renamed = [tuple(re.sub(OTHER, OWN, part) for part in pair) for pair in other]
    assert own == renamed
