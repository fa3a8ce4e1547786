; What is a node in Erlang.

; ---- Package

; -module(cart).
(module_attribute name: (_) @name) @package

; ---- Types

; -record(item, {…}), -type item() :: …, -opaque, -nominal
[
  (record_decl name: (_) @name)
  (type_alias name: (type_name name: (_) @name))
  (opaque name: (type_name name: (_) @name))
  (nominal name: (type_name name: (_) @name))
] @type

; ---- Functions

; add(Cart, Item) -> …; clauses of one arity are one node, as each but the last ends with `;`
((fun_decl clause: (function_clause name: (_) @name body: (_) @body)) @method @clause
 (#set! clause_end ";"))

; -callback add(item()) -> cart().
(callback fun: (atom) @name) @method

; -define(ADD(A, B), A + B).
(pp_define lhs: (macro_lhs name: (_) @name args: (_)) replacement: (_) @body) @method

; ---- Members

(record_decl fields: (record_field name: (atom) @member))

; -define(MAX, 3).
(pp_define lhs: (macro_lhs name: (_) @member !args))

; ---- Comments

(comment) @doc

; -spec and -doc belong to the function below them.
(spec) @doc
((wild_attribute name: (attr_name name: (atom) @_name)) @doc (#eq? @_name "doc"))
