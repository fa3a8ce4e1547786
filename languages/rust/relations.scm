; What the nodes of Rust call, use, inherit and import.

$bound_type = [(type_identifier) (reference_type) (generic_type) (scoped_type_identifier)]

; add(item), add::<T>(item), shop::add::<T>(item), cart.add::<T>(item)
(call_expression
  function: [
    (identifier) @calls
    (generic_function
      function: [
        (identifier) @calls
        (scoped_identifier name: (identifier) @calls)
        (field_expression field: (field_identifier) @calls)
      ])
  ])

; println!(…), shop::cart!(…)
(macro_invocation macro: [(identifier) @calls (scoped_identifier name: (identifier) @calls)])

; Line { item }
(struct_expression
  name: [
    (type_identifier) @calls
    (scoped_type_identifier name: (type_identifier) @calls)
    (generic_type_with_turbofish type: (type_identifier) @calls)
  ])

; Line { item } in a pattern, Shape::Line { item }
(struct_pattern type: (scoped_type_identifier name: (type_identifier) @calls))

; cart.store, Store::open
[(field_expression) (scoped_identifier)] @accesses

; Any identifier in the text of a macro's call.
(token_tree (identifier) @tokens)

; Any identifier: what it is follows from the text around it.
(identifier) @mentions

; fn add(), mod stock, 'cart, shop::add: names that refer to nothing, or are a receiver;
; Iterator<Item = Cart>: an associated type, see below
[
  (scoped_identifier path: (identifier) @argument_label)
  (scoped_type_identifier path: (identifier) @argument_label)
  (function_item name: (identifier) @argument_label)
  (mod_item name: (identifier) @argument_label)
  (type_binding name: (type_identifier) @argument_label)
  (lifetime (identifier) @argument_label)
  (label (identifier) @argument_label)
]

; What declares a variable or a parameter, and where it ends.
[
  (let_declaration pattern: (identifier) @locals)
  (parameter pattern: (identifier) @locals)
  (closure_parameters (identifier) @locals)
  (for_expression pattern: (identifier) @locals)
  (tuple_pattern (identifier) @locals)
  (let_condition pattern: (_ (identifier) @locals))
  (captured_pattern . (identifier) @locals)
  (mut_pattern (identifier) @locals)
  (ref_pattern (identifier) @locals)
  (reference_pattern (identifier) @locals)
  (slice_pattern (identifier) @locals)
  (field_pattern pattern: (identifier) @locals)
  (const_parameter name: (identifier) @locals)
]
((match_pattern . (identifier) @locals) (#match? @locals "^[a-z_]"))
((tuple_struct_pattern type: (_) (identifier) @locals) (#match? @locals "^[a-z_]"))
[(function_item) (closure_expression) (block) (for_expression) (match_arm)] @local_scope

; impl Sender for Cart
(impl_item
  trait: [
    (type_identifier) @implements
    (generic_type
      type: [
        (type_identifier) @implements
        (scoped_type_identifier name: (type_identifier) @implements)
      ])
    (scoped_type_identifier name: (type_identifier) @implements)
  ])

; trait Sender: Base
(trait_item
  bounds: (trait_bounds
    [
      (type_identifier) @inherits
      (generic_type type: (type_identifier) @inherits)
      (scoped_type_identifier name: (type_identifier) @inherits)
    ]))

; impl Cart { … }, impl Sender for Cart<T> { … }: the type has its declaration elsewhere
(impl_item
  type: [
    (type_identifier) @extends
    (scoped_type_identifier name: (type_identifier) @extends)
    (generic_type type: (type_identifier) @extends)
    (generic_type type: (scoped_type_identifier name: (type_identifier) @extends))
    (reference_type
      type: [(type_identifier) @extends (generic_type type: (type_identifier) @extends)])
  ])

; A type by its name, wherever it stands.
(type_identifier) @uses

; use acme::Store; use acme::Store as Shelf;
(use_declaration
  argument: [
    (identifier) @imports
    (scoped_identifier path: (_) @module name: (identifier) @imports)
    (use_as_clause
      path: (scoped_identifier path: (_) @module name: (identifier) @imports)
      alias: (identifier) @alias)
  ])

; use acme::*; use acme::{stock::*, Item};
((use_wildcard (_) @module) @wildcard (#set! imported "*"))

; use acme::{*, Item};
((scoped_use_list path: (_) @module list: (use_list (use_wildcard) @wildcard))
 (#set! imported "*")
 (#eq? @wildcard "*"))

; use {Store, Item as Thing};
(use_declaration
  argument: (use_list
    [
      (identifier) @imports
      (use_as_clause path: (identifier) @imports alias: (identifier) @alias)
    ]))

; use acme::{Store, Item as Thing};
(scoped_use_list
  path: (_) @module
  list: (use_list
    [
      (identifier) @imports
      (use_as_clause path: (identifier) @imports alias: (identifier) @alias)
    ]))

; use acme::{stock::Store, stock::Item as Thing};
(use_list
  [
    (scoped_identifier path: (_) @module name: (identifier) @imports)
    (use_as_clause
      path: (scoped_identifier path: (_) @module name: (identifier) @imports)
      alias: (identifier) @alias)
  ])

; use acme::stock::{self};
(scoped_use_list
  path: [
    (identifier) @imports
    (scoped_identifier path: (_) @module name: (identifier) @imports)
  ]
  list: (use_list (self)))

; store: Store as a parameter, a field, a local variable.
(parameter pattern: (identifier) @parameter type: $bound_type @bound)
(field_declaration name: (field_identifier) @binds type: $bound_type @bound)

; Cart { items, total: 0 }: fields of the type, also in a pattern
$struct_name = [
  (type_identifier) @bound
  (generic_type_with_turbofish type: (type_identifier) @bound)
  (scoped_type_identifier name: (type_identifier) @bound)
]
(struct_expression
  name: $struct_name
  body: (field_initializer_list
    [
      (field_initializer field: (field_identifier) @fields)
      (shorthand_field_initializer (identifier) @fields)
    ]))
(struct_pattern
  type: $struct_name
  (field_pattern name: [(field_identifier) (shorthand_field_identifier)] @fields))

; Iterator<Item = Cart>: an associated type of the trait
(generic_type
  type: [(type_identifier) @bound (scoped_type_identifier name: (type_identifier) @bound)]
  type_arguments: (type_arguments (type_binding name: (type_identifier) @fields)))

(let_declaration
  pattern: (identifier) @binds
  type: [(type_identifier) (reference_type) (generic_type)] @bound)

; let store = Store { … }, Store::new(), &Store { … }
(let_declaration
  pattern: (identifier) @binds
  value: [
    (struct_expression name: (type_identifier) @bound)
    (call_expression function: (scoped_identifier path: (identifier) @constructed))
    (reference_expression value: (struct_expression name: (type_identifier) @bound))
  ])

; fn add() -> Line
[(function_item return_type: (_) @returns) (function_signature_item return_type: (_) @returns)]

; A modifier that says who sees a declaration.
(visibility_modifier) @visibility

; The type in use shop::Color::Red, use shop::Color::*, use shop::Color::{Red, Blue as Sky}
(use_wildcard [(identifier) @owner (scoped_identifier name: (identifier) @owner)])
(scoped_use_list path: [(identifier) @owner (scoped_identifier name: (identifier) @owner)])
(use_declaration
  argument: [
    (scoped_identifier path: [(identifier) @owner (scoped_identifier name: (identifier) @owner)])
    (use_as_clause
      path: (scoped_identifier
        path: [(identifier) @owner (scoped_identifier name: (identifier) @owner)]))
  ])

; mod stock;
((mod_item name: (identifier) @module !body) (#set! imported "!") (#set! prefix "self."))

; #[path = "stock.rs"]
((attribute_item
   (attribute (identifier) @_path value: (string_literal (string_content) @module)))
 (#set! imported "!")
 (#set! prefix "./")
 (#eq? @_path "path"))

; #[path = "stock.rs"] mod store: the name of that file here
((attribute_item
   (attribute (identifier) @_path value: (string_literal (string_content) @module)))
 . (attribute_item)*
 . (mod_item name: (identifier) @alias !body)
 (#set! prefix "./")
 (#eq? @_path "path"))

; include!("stock.rs"), include_str!("stock.txt")
((macro_invocation
   macro: (identifier) @_include
   (token_tree . (string_literal (string_content) @module)))
 (#set! imported "!")
 (#set! prefix "./")
 (#any-of? @_include "include" "include_bytes" "include_str"))
