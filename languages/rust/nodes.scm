; What is a node in Rust.

; The type of an `impl`: `Cart`, `shop::Cart`, `Cart<T>`.
$plain_type = [(type_identifier) @name (scoped_type_identifier name: (type_identifier) @name)]

$implementing = [
  (type_identifier) @name
  (scoped_type_identifier name: (type_identifier) @name)
  (generic_type type: $plain_type)
]

; ---- Namespaces

; mod shop { … }
(mod_item name: (identifier) @name body: (declaration_list)) @namespace

; ---- Types

[
  (struct_item name: (type_identifier) @name)
  (enum_item name: (type_identifier) @name)
  (union_item name: (type_identifier) @name)
  (trait_item name: (type_identifier) @name)
] @type

; impl Cart { … }, impl<T> Sender for Cart<T> { … }
(impl_item type: $implementing) @type

; impl Sender for &Cart { … }
(impl_item type: (reference_type type: $implementing)) @type

; impl Sender for [T] { … }: any other type by its text
(impl_item type: (_) @name) @type

; type Prices = …; of a file or a module, not of an impl
(source_file (type_item name: (type_identifier) @name) @type)
(mod_item body: (declaration_list (type_item name: (type_identifier) @name) @type))

; ---- Functions

[
  (function_item name: (identifier) @name)
  (function_signature_item name: (identifier) @name)
] @method

; macro_rules! cart { … }
(macro_definition name: (identifier) @name ["{" "("]? @body) @method

; ---- Members

(field_declaration name: (field_identifier) @member)
(enum_variant name: (identifier) @member)

; type Item; of a trait, and in an implementation
(associated_type name: (type_identifier) @member)
(impl_item body: (declaration_list (type_item name: (type_identifier) @member)))

; Constants and statics.
([(const_item name: (identifier) @member) (static_item name: (identifier) @member)]
 (#set! scope "file"))

; ---- Functions and objects without a name

(closure_expression) @closure

; ---- Comments

; Attributes belong to the declaration below them like comments.
[(line_comment) (block_comment) (attribute_item)] @doc
