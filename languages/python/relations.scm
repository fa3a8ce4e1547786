; What the nodes of Python call, use, inherit and import.

$bound = [
  (identifier) @bound
  (generic_type . (identifier) @bound)
  (attribute attribute: (identifier) @bound)
  (string (string_content) @bound)
]

; `store`, `self.store`.
$binding = [(identifier) @binds (attribute object: (identifier) @_self attribute: (identifier) @binds)]

; What a call constructs: `Store`, `shop.Store`.
$constructed = [(identifier) @constructed (attribute attribute: (identifier) @constructed)]

; add(item), Cart(total=3): its labels are attributes of the type
(call function: (identifier) @calls (#set! labels "fields"))

; store.size, store.put(item), models.Cart(total=3)
((attribute) @accesses (#set! labels "fields"))

; Any identifier: what it is follows from the text around it.
(identifier) @mentions

; def add(…), class Cart, total=3, case Cart(total=3): names that refer to nothing
[
  (function_definition name: (identifier) @argument_label)
  (class_definition name: (identifier) @argument_label)
  (keyword_argument name: (identifier) @argument_label)
]

; case Cart(total=0): an attribute of the type
(class_pattern
  (dotted_name (identifier) @bound .)
  (case_pattern (keyword_pattern . (identifier) @unpacked)))

; case Color.RED, case shop.Cart(color=Color.RED)
[
  (case_pattern (dotted_name (identifier) (identifier) @attributes))
  (class_pattern . (dotted_name (identifier) (identifier) @attributes))
  (keyword_pattern (dotted_name (identifier) (identifier) @attributes))
  (union_pattern (dotted_name (identifier) (identifier) @attributes))
]

; class Cart(Base, Base[T], shop.Base)
(class_definition
  superclasses: (argument_list
    [(identifier) @inherits (subscript value: (identifier) @inherits)]))
(class_definition
  superclasses: (argument_list
    [
      (attribute attribute: (identifier) @inherits)
      (subscript value: (attribute attribute: (identifier) @inherits))
    ]))

; class Meta(Shelf.Meta): the outer class
((class_definition superclasses: (argument_list (attribute object: (identifier) @attributes)))
 (#match? @attributes "^_*[A-Z]"))

; class Cart(with_metaclass(Meta, Base)): the names in the call
(class_definition
  superclasses: (argument_list (call arguments: (argument_list (identifier) @inherits))))

; A name in a type: `Item`, `list[Item]`, `Item | None`.
(type
  [
    (identifier) @uses
    (generic_type (identifier) @uses)
    (subscript value: (identifier) @uses)
    (binary_operator [(identifier) (none)] @uses)
  ])

; import acme.mail, import acme.mail as mail
(import_statement
  name: [
    (dotted_name) @module
    (aliased_import name: (dotted_name) @module alias: (identifier) @alias)
  ])

; from .stock import Stock as Shelf
(import_from_statement
  module_name: (_) @module
  name: [
    (dotted_name) @imports
    (aliased_import name: (dotted_name) @imports alias: (identifier) @alias)
  ])

; from .stock import *
(import_from_statement module_name: (_) @module (wildcard_import) @wildcard (#set! imported "*"))

; store = Store(), self.store = shop.Store()
(assignment left: $binding right: (call function: $constructed))

; self.store = store
(assignment
  left: (attribute object: (identifier) @_self attribute: (identifier) @binds)
  right: (identifier) @bound)

; store: Store, self.store: "Store"
(assignment left: $binding type: (type $bound))

; with Store() as store
(as_pattern (call function: $constructed) alias: (as_pattern_target (identifier) @binds))

; What declares a local variable, and where it ends.
[
  (assignment left: (identifier) @locals)
  (for_statement left: (identifier) @locals)
  (for_in_clause left: (identifier) @locals)
  (named_expression name: (identifier) @locals)
  (as_pattern_target (identifier) @locals)
  (pattern_list (identifier) @locals)
  (tuple_pattern (identifier) @locals)
  (list_pattern (identifier) @locals)
  (list_splat_pattern (identifier) @locals)
  (case_pattern (dotted_name . (identifier) @locals .))
]
[(function_definition body: (_) @local_scope) (lambda body: (_) @local_scope)]

; Attributes of a class are used in its body without a receiver.
(class_definition body: (block) @member_scope)

; A parameter is a local name: without a receiver it is no mention.
(function_definition
  parameters: (parameters
    [
      (identifier) @locals
      (default_parameter name: (identifier) @locals)
      (typed_parameter .
        [
          (identifier) @locals
          (list_splat_pattern (identifier) @locals)
          (dictionary_splat_pattern (identifier) @locals)
        ])
      (typed_default_parameter name: (identifier) @locals)
      (list_splat_pattern (identifier) @locals)
      (dictionary_splat_pattern (identifier) @locals)
    ])
  body: (_) @local_scope)
(lambda
  parameters: (lambda_parameters
    [(identifier) @locals (default_parameter name: (identifier) @locals)])
  body: (_) @local_scope)

; store: Store as a parameter, then with a default
(typed_parameter . (identifier) @parameter type: (type $bound))
(typed_default_parameter name: (identifier) @parameter type: (type $bound))

; def add() -> Line, list[Line], shop.Line, Line | None
(function_definition
  return_type: (type
    [
      (identifier) @returns
      (generic_type [(identifier) @returns (type_parameter (type (identifier) @returns))])
      (attribute attribute: (identifier) @returns)
      (binary_operator (identifier) @returns)
    ]))

; importlib.import_module("acme.mail")
((call
   function: [(identifier) (attribute)] @_import
   arguments: (argument_list . (string (string_content) @module)))
 (#set! imported "!")
 (#match? @_import "(^|[.])import_module$"))
