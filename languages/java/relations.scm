; What the nodes of Java call, use, inherit and import.

; A type as it may be written behind `extends`: `Base`, `Base<T>`, `shop.Base`, `shop.Base<T>`.
$inherited = [
  (type_identifier) @inherits
  (generic_type . (type_identifier) @inherits)
  (scoped_type_identifier (type_identifier) @inherits .)
  (generic_type . (scoped_type_identifier (type_identifier) @inherits .))
]

$implemented = [
  (type_identifier) @implements
  (generic_type . (type_identifier) @implements)
  (scoped_type_identifier (type_identifier) @implements .)
  (generic_type . (scoped_type_identifier (type_identifier) @implements .))
]

; A declared type: `Store`, `List<Store>`, `shop.Store`.
$bound = [
  (type_identifier) @bound
  (generic_type . (type_identifier) @bound)
  (scoped_type_identifier (type_identifier) @bound .)
]

; put(item), store.put(item)
(method_invocation name: (identifier) @calls)

; new Line(item), new shop.Line(item)
(object_creation_expression
  type: [
    (type_identifier) @calls
    (generic_type (type_identifier) @calls)
    (scoped_type_identifier (type_identifier) @calls .)
  ])

; new Listener() { … }: a class without a name, or a node with the name of its variable or field
(object_creation_expression
  type: [
    (type_identifier) @unnamed
    (generic_type . (type_identifier) @unnamed)
    (scoped_type_identifier (type_identifier) @unnamed .)
    (generic_type . (scoped_type_identifier (type_identifier) @unnamed .))
  ]
  (class_body))
(variable_declarator value: (object_creation_expression type: $inherited (class_body)))

; RED { int rate() { … } }: a constant with a class of its own below the enum
(enum_declaration
  name: (identifier) @bound
  body: (enum_body (enum_constant body: (class_body)) @variant))

; new Listener() { void heard() { … } }: members of a class without a name
(object_creation_expression
  type: $bound
  (class_body (method_declaration name: (identifier) @overrides)))
(enum_declaration
  name: (identifier) @bound
  body: (enum_body
    (enum_constant body: (class_body (method_declaration name: (identifier) @overrides)))))

; Cart::add
(method_reference . (_) (identifier) @calls .)

; super(…): a call of the base's constructor
(explicit_constructor_invocation constructor: (super) @calls)

; extends and implements of classes, then extends of interfaces.
(class_declaration superclass: (superclass $inherited))
(super_interfaces (type_list $implemented))
(extends_interfaces (type_list $inherited))

; A type by its name, wherever it stands.
(type_identifier) @uses

; @Override
[(marker_annotation name: (identifier) @uses) (annotation name: (identifier) @uses)]

; @Audit(level = 2): a method of the annotation
((annotation
   name: (identifier) @bound
   arguments: (annotation_argument_list (element_value_pair key: (identifier) @unpacked)))
 (#set! unpacked "call"))

; case Circle(double radius)
(record_pattern . [(identifier) @uses (generic_type . (type_identifier) @uses)])

; store.size, Store.MAX
(field_access) @accesses

; Any identifier: what it is follows from the text around it.
(identifier) @visible

; package acme.shop, outer: …, break outer: names that refer to nothing
[
  (package_declaration (_) @argument_label)
  (labeled_statement . (identifier) @argument_label)
  (break_statement (identifier) @argument_label)
  (continue_statement (identifier) @argument_label)
]

; What declares a variable or a parameter, and where it ends.
[
  (formal_parameter name: (identifier) @locals)
  (spread_parameter (variable_declarator name: (identifier) @locals))
  (local_variable_declaration declarator: (variable_declarator name: (identifier) @locals))
  (enhanced_for_statement name: (identifier) @locals)
  (catch_formal_parameter name: (identifier) @locals)
  (resource name: (identifier) @locals)
  (lambda_expression parameters: (identifier) @locals)
  (inferred_parameters (identifier) @locals)
  (instanceof_expression name: (identifier) @locals)
  (type_pattern (identifier) @locals)
  (record_pattern_component (identifier) @locals)
]
[
  (method_declaration)
  (constructor_declaration)
  (lambda_expression)
  (block)
  (switch_block)
  (for_statement)
  (enhanced_for_statement)
  (catch_clause)
  (try_with_resources_statement)
] @local_scope

; import acme.Store;
(import_declaration (scoped_identifier scope: (_) @module name: (identifier) @imports) .)

; import acme.*;
(import_declaration
  [(identifier) (scoped_identifier)] @module
  (asterisk)
  (#set! imported "*"))

; Parameters; one of a basic type has a name without a type.
(formal_parameter
  type: [
    (type_identifier) @bound
    (generic_type . (type_identifier) @bound)
    (scoped_type_identifier (type_identifier) @bound .)
    (array_type)
    (integral_type)
    (floating_point_type)
    (boolean_type)
  ]
  name: (identifier) @parameter)

; Store store = …, as a local variable or a field.
[
  (local_variable_declaration type: $bound
    declarator: (variable_declarator name: (identifier) @binds))
  (field_declaration type: $bound declarator: (variable_declarator name: (identifier) @binds))
]

; var store = new Store();
(local_variable_declaration
  declarator: (variable_declarator
    name: (identifier) @binds
    value: (object_creation_expression
      type: [(type_identifier) @bound (generic_type . (type_identifier) @bound)])))

; for (Item item : items)
(enhanced_for_statement
  type: [(type_identifier) @bound (generic_type . (type_identifier) @bound)]
  name: (identifier) @binds)

; try (Store store = open())
(resource type: (type_identifier) @bound name: (identifier) @binds)

; Line add(), List<Line> all(), Line[] all()
(method_declaration
  type: [
    (type_identifier) @returns
    (generic_type [(type_identifier) @returns (type_arguments (type_identifier) @returns)])
    (scoped_type_identifier (type_identifier) @returns .)
    (array_type element: (type_identifier) @returns)
  ])

; A modifier that says who sees a declaration.
(modifiers ["public" "private" "protected"] @visibility)

; The type in import static shop.Cart.open, import shop.Cart.*, import shop.Cart.Line
(import_declaration (scoped_identifier scope: (scoped_identifier name: (identifier) @owner)))
(import_declaration (scoped_identifier name: (identifier) @owner) (asterisk))
