; What the nodes of Dart call, use, inherit and import.

; add(item), size: .of(2)
([(identifier) @calls (dot_shorthand (identifier) @calls)] . (selector (argument_part)))

; store.put(item), store?.put(item)
((selector
   [
     (unconditional_assignable_selector (identifier) @calls)
     (conditional_assignable_selector (identifier) @calls)
   ])
 . (selector (argument_part)))

; super.add(item)
((super) . (unconditional_assignable_selector (identifier) @calls) . (selector (argument_part)))

; Cart.small() : super.sized(1);
(initializer_list_entry (super) . (identifier) @base)

; Cart(int size) : super(size);
(initializer_list_entry (super) @calls . (arguments))

; Cart.small() : this.sized(1);
(redirection (this) . (identifier) @calls)

; Map<String, int>.from(counts)
(constructor_invocation (identifier) @calls)

; Line<Item>(item), store.find<Item>(item), which the grammar sometimes reads as two comparisons
(relational_expression
  (relational_expression
    [
      (identifier) @calls
      (unary_expression (await_expression (identifier) @calls .))
      (selector (unconditional_assignable_selector (identifier) @calls))
    ]
    . (relational_operator)
    . (identifier) @attributes)
  . (relational_operator)
  . [(parenthesized_expression) (record_literal)])

; [Line<Item, int>(item)], add(Line<Item, int>(item)): as two elements
((relational_expression . (identifier) @calls . (relational_operator) . (identifier) @attributes)
 .
 (relational_expression
   . (identifier) @attributes
   . (relational_operator)
   . [(parenthesized_expression) (record_literal)]))
((argument
   (relational_expression . (identifier) @calls . (relational_operator) . (identifier) @attributes))
 .
 (argument
   (relational_expression
     . (identifier) @attributes
     . (relational_operator)
     . [(parenthesized_expression) (record_literal)])))

; const .of(2), size: .small
(const_object_expression (dot_shorthand (identifier) @calls))
(dot_shorthand (identifier) @attributes)

; store.size
[
  (unconditional_assignable_selector (identifier) @attributes)
  (conditional_assignable_selector (identifier) @attributes)
]

; case Size.small
(qualified (identifier) @attributes .)

; store..put(item)
(cascade_section (cascade_selector (identifier) @calls))

; const Item.free(), new Item.free()
[
  (const_object_expression [(type_identifier) (type_arguments)] . (identifier) @calls)
  (new_expression [(type_identifier) (type_arguments)] . (identifier) @calls)
]

; const Item(), new Item()
[(const_object_expression (type_identifier) @calls) (new_expression (type_identifier) @calls)]

; Cart(size: 3), const Cart(size: 3): fields of the type
((identifier) @bound
 . (selector (argument_part (arguments (named_argument (label (identifier) @fields)))))
 (#match? @bound "^_?[A-Z]"))
[
  (const_object_expression
    (type_identifier) @bound
    (arguments (named_argument (label (identifier) @fields))))
  (new_expression
    (type_identifier) @bound
    (arguments (named_argument (label (identifier) @fields))))
]

; Any identifier, and $item in a string: what it is follows from the text around it.
[(identifier) (identifier_dollar_escaped)] @visible

; size: 3, the label of an argument; hide Stock
[(label (identifier) @argument_label) (combinator "hide" (identifier) @argument_label)]

; What declares a variable or a parameter, and where it ends.
[
  (_ name: (identifier) @locals)
  (initialized_identifier . (identifier) @locals)
  (catch_parameters (identifier) @locals)
  (variable_pattern (identifier) @locals)
  (formal_parameter . (identifier) @locals .)
]
((function_signature
   (formal_parameter_list
     [
       (formal_parameter name: (identifier) @locals)
       (optional_formal_parameters (formal_parameter name: (identifier) @locals))
     ]))
 . (function_body) @local_scope)
((method_signature
   (function_signature
     (formal_parameter_list
       [
         (formal_parameter name: (identifier) @locals)
         (optional_formal_parameters (formal_parameter name: (identifier) @locals))
       ])))
 . (function_body) @local_scope)
[(function_body) (function_expression) (block) (for_statement) (try_statement)] @local_scope

; extends Base
(superclass (type_identifier) @inherits)

; with Counting, implements Sender
[(mixins (type_identifier) @implements) (interfaces (type_identifier) @implements)]

; A type by its name, wherever it stands.
(type_identifier) @uses

; @override
(annotation name: (identifier) @uses)

; import 'stock.dart' as stock;
(import_specification (configurable_uri (uri (string_literal) @module)) (identifier)? @alias)

; import 'stock.dart' show Stock;
(import_specification
  (configurable_uri (uri (string_literal) @module))
  (combinator "show" (identifier) @imports))

; export 'stock.dart' show Stock;
(library_export
  (configurable_uri (uri (string_literal) @module))
  (combinator "show" (identifier) @imports))

; export 'stock.dart', also with hide
(library_export
  . (configurable_uri (uri (string_literal) @module))
  (combinator "hide")? .
  (#set! imported "*"))

; Item item as a parameter, a field and a local variable.
(formal_parameter (type_identifier) @bound name: (identifier) @parameter)
(declaration
  (type_identifier) @bound
  (initialized_identifier_list (initialized_identifier . (identifier) @binds)))
(initialized_variable_definition (type_identifier) @bound name: (identifier) @binds)

; var store = Store();
(initialized_variable_definition
  name: (identifier) @binds
  value: (identifier) @constructed
  . value: (selector (argument_part)))

; Line add()
(function_signature (type_identifier) @returns name: (_))

; part 'stock.dart'; part of 'shop.dart': the files of a library see all names of each other
((part_directive (uri (string_literal) @module)) (#set! imported "*"))
((part_of_directive (uri (string_literal) @module)) (#set! imported "*"))

; Price(this.cents), Price({super.name}): fields of the class, and of its base
(constructor_param (this) (identifier) @attributes)
(super_formal_parameter (super) (identifier) @attributes)

; case Circle(r: var size), final Point(:x) = point
(object_pattern
  (type_identifier) @bound
  . [
    "("
    (type_arguments)
  ]
  [
    (identifier) @unpacked
    (constant_pattern . (identifier) @unpacked)
  ])
; case Point(:final x, :var y)
(object_pattern
  (type_identifier) @bound
  ["(" ","]
  . ":"
  . (variable_pattern (identifier) @unpacked))
