; What the nodes of C# call, use, inherit and import.

; A type as a variable may have it: `Store`, `List<Store>`, `Store?`, `Shop.Store`.
$type = [(identifier) (generic_name) (nullable_type) (qualified_name)]

; Any identifier: what it is follows from the text around it.
(identifier) @visible_tokens

; size: 3, the label of an argument
(argument name: (identifier) @argument_label)

; goto done; done: …
[(goto_statement (identifier) @argument_label) (labeled_statement . (identifier) @argument_label)]

; What declares a variable or a parameter, and where it ends.
[
  (parameter name: (identifier) @locals)
  (implicit_parameter) @locals
  (variable_declarator name: (identifier) @locals)
  (tuple_pattern name: (identifier) @locals)
  (foreach_statement left: (identifier) @locals)
  (catch_declaration name: (identifier) @locals)
  (declaration_pattern name: (identifier) @locals)
  (declaration_expression name: (identifier) @locals)
  (from_clause name: (identifier) @locals)
]
[
  (method_declaration)
  (constructor_declaration)
  (operator_declaration)
  (indexer_declaration)
  (local_function_statement)
  (lambda_expression)
  (anonymous_method_expression)
  (block)
  (for_statement)
  (foreach_statement)
  (using_statement)
  (catch_clause)
  (switch_section)
  (query_expression)
] @local_scope

; Add<int>(item), store.Put<int>(item)
(invocation_expression
  function: [(generic_name (identifier) @calls) (_ name: (generic_name (identifier) @calls))])

; new List<Item>()
(object_creation_expression type: (generic_name (identifier) @calls))

; new Cart(Size: 3) { Name = "a" }, new() { Name = "a" }, cart with { Name = "b" }: fields of the type
(object_creation_expression
  type: $type @bound
  arguments: (argument_list (argument name: (identifier) @fields)))
(object_creation_expression
  type: $type @bound
  initializer: (initializer_expression (assignment_expression left: (identifier) @fields)))
(initializer_expression (assignment_expression left: (identifier) @key))
(with_initializer . (identifier) @key)

; The first base of a class is inherited, the others are implemented: `: Base, ISender`.
(base_list .
  [
    (identifier) @inherits
    (generic_name (identifier) @inherits)
    (qualified_name name: (identifier) @inherits)
    (primary_constructor_base_type type: (identifier) @inherits)
  ])
(base_list
  (_)
  [
    (identifier) @implements
    (generic_name (identifier) @implements)
    (qualified_name name: (identifier) @implements)
  ])

; Types: of a variable, of a result, in type arguments, attributes, `as`, `is` and patterns.
(_ type: (identifier) @uses)
(_ returns: (identifier) @uses)
[
  (generic_name (identifier) @uses)
  (nullable_type (identifier) @uses)
  (array_type (identifier) @uses)
  (qualified_name name: (identifier) @uses)
  (type_argument_list (identifier) @uses)
  (attribute name: (identifier) @uses)
  (as_expression right: (identifier) @uses)
  (declaration_pattern type: (identifier) @uses)
  (is_expression right: (identifier) @uses)
]

; using Acme.Shop;
(using_directive !name [(identifier) (qualified_name)] @module (#set! imported "*"))

; using Shelf = Acme.Shop.Store;
(using_directive name: (identifier) @alias (qualified_name) @imports)

; A parameter, a variable or field, `var store = new Store()`, a property.
(parameter type: $type @bound name: (identifier) @parameter)
(variable_declaration type: $type @bound (variable_declarator name: (identifier) @binds))
(variable_declarator
  name: (identifier) @binds
  (object_creation_expression type: [(identifier) (generic_name)] @bound))
(property_declaration type: $type @bound name: (identifier) @binds)

; Line Add()
(method_declaration returns: $type @returns)

; A modifier that says who sees a declaration.
(modifier ["public" "private" "protected" "internal"]) @visibility

; using static Shop.Cart
(using_directive "static" [(identifier) @owner (qualified_name name: (identifier) @owner)])

; is Order { Id: 3 }, is { Id: 3 }
(recursive_pattern
  type: [
    (identifier) @bound
    (generic_name (identifier) @bound)
    (qualified_name name: (identifier) @bound)
  ]
  (property_pattern_clause (subpattern . (identifier) @unpacked)))
(subpattern . (identifier) @unpacked)

; Cart(int size) : base(size)
(constructor_initializer "base" @calls)
