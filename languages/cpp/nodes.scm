; What is a node in C++.

; What a function may be called: `add`, `Cart::add`, `~Cart`, `operator+`, `add<int>`.
$name = [
  (identifier)
  (field_identifier)
  (qualified_identifier)
  (destructor_name)
  (operator_name)
  (template_function)
]

; A function whose result is a pointer or a reference, in the parentheses of `(*f(int))(int)`.
$returned_function = [
  (pointer_declarator declarator: (_ declarator: $name @name parameters: (_)))
  (reference_declarator (_ declarator: $name @name parameters: (_)))
]

; Everything that declares a function, with up to two pointers, a reference or a conversion.
$function = [
  (_ declarator: $name @name parameters: (_))
  (pointer_declarator declarator: (_ declarator: $name @name parameters: (_)))
  (pointer_declarator
    declarator: (pointer_declarator declarator: (_ declarator: $name @name parameters: (_))))
  (reference_declarator (_ declarator: $name @name parameters: (_)))
  (_ declarator: (parenthesized_declarator $returned_function) parameters: (_))
  (operator_cast "operator" @scope type: (_) @name)
  (_ scope: (_) @scope name: (operator_cast "operator" @scope type: (_) @name))
]

; Where a signature ends: initialisers, the braces, or `try`.
$body = [(field_initializer_list) (compound_statement) (try_statement)]

$type_name = [(type_identifier) @name (pointer_declarator declarator: (type_identifier) @name)]

; A variable: total, *total, **total, totals[3], *totals[3], totals[3][3]
$variable = [
  (identifier) @member
  (pointer_declarator
    declarator: [
      (identifier) @member
      (pointer_declarator declarator: (identifier) @member)
      (array_declarator declarator: (identifier) @member)
    ])
  (array_declarator
    declarator: [(identifier) @member (array_declarator declarator: (identifier) @member)])
]

; ---- Namespaces

; namespace acme::shop { … }
(namespace_definition name: (_) @name) @namespace

; ---- Types

; typedef struct { … } Cart; also pointers, arrays and functions
(type_definition
  type: (_ body: (_)? @body)
  declarator: [
    (type_identifier) @name
    (pointer_declarator declarator: (type_identifier) @name)
    (array_declarator declarator: (type_identifier) @name)
    (_ declarator: (type_identifier) @name parameters: (_))
    (_ declarator: (parenthesized_declarator $type_name) parameters: (_))
    (pointer_declarator
      declarator: (_
        declarator: [(type_identifier) @name (parenthesized_declarator $type_name)]
        parameters: (_)))
  ]) @type

; template <class T> class Cart { … }: the whole declaration is the node
(template_declaration
  [
    (class_specifier name: (_) @name body: (_) @body)
    (struct_specifier name: (_) @name body: (_) @body)
    (union_specifier name: (_) @name body: (_) @body)
  ]) @type

; template <class T> using Prices = …; and concepts
(template_declaration
  [(alias_declaration name: (_) @name) (concept_definition name: (_) @name)]) @type

; struct Item { … } item; as a field, then as a variable: the declaration is the node
(field_declaration type: (_ name: (_) @name body: (_) @body)) @type
(declaration type: (_ name: (_) @name body: (_) @body)) @type

; class Cart { … }, struct, union, enum, using Prices = …;
[
  (class_specifier name: (_) @name body: (_))
  (struct_specifier name: (_) @name body: (_))
  (union_specifier name: (_) @name body: (_))
  (enum_specifier name: (_) @name body: (_))
  (alias_declaration name: (_) @name)
] @type

; ---- Functions

; TEST(Cart, Adds) { … }: a macro with two names, `Cart.Adds`
(function_definition !type
  declarator: (_
    declarator: (identifier) @_macro
    parameters: (_ .
      (_ type: (type_identifier) @scope !declarator !default_value)
      . (_ type: (type_identifier) @name !declarator !default_value) .))
  body: (_) @body
  (#match? @_macro "^[A-Z][A-Z0-9_]*$")) @method

; BENCHMARK_F(Adds) { … }: a macro with an underscore and one name
(function_definition !type
  declarator: (_
    declarator: (identifier) @_macro
    parameters: (_ . (_ type: (type_identifier) @name !declarator !default_value) .))
  body: (_) @body
  (#match? @_macro "^[A-Z][A-Z0-9]*_[A-Z0-9_]*$")) @method

; template <class T> template <class U> void Cart<T>::add(U item) { … }
(template_declaration
  (template_declaration (function_definition declarator: $function $body* @body))) @method

; template <class T> void add(T item) { … }, also with `friend`
(template_declaration (_ declarator: $function $body* @body)) @method
(template_declaration (friend_declaration (_ declarator: $function $body* @body))) @method

; void Cart::add(Item item) { … }
(function_definition declarator: $function $body* @body) @method

; void add(Item item); of a file or a namespace, or with `export`
((declaration declarator: $function) @method
 (#has-parent? @method "translation_unit" "declaration_list" "field_declaration_list"
   "linkage_specification" "export_declaration" "preproc_if" "preproc_ifdef" "preproc_elif" "preproc_else" "ERROR"))

; friend void add(Item item); not of another class
((declaration declarator: $function) @method
 (#has-parent? @method "friend_declaration")
 (#not-match? @name "::"))

; Cart& Cart::operator=(Cart&&) = default; which the grammar reads as a variable
(template_declaration
  (declaration declarator: (init_declarator declarator: $function value: (_) @_value))
  (#match? @_value "^(default|delete)")) @method
((declaration declarator: (init_declarator declarator: $function value: (_) @_value)) @method
 (#match? @_value "^(default|delete)")
 (#has-parent? @method "translation_unit" "declaration_list" "friend_declaration"
   "export_declaration" "preproc_if" "preproc_ifdef" "preproc_elif" "preproc_else"))

; void add(Item item); in a class
(field_declaration declarator: $function) @method

; Cart::Cart() = default; which the grammar reads as an assignment
(expression_statement
  (assignment_expression
    left: (call_expression function: (qualified_identifier) @name)
    right: (identifier) @_value)
  (#any-of? @_value "default" "delete")) @method

; #define ADD(a, b) …
(preproc_function_def name: (identifier) @name value: (_)? @body) @method

; auto add = [](int a) { … }; of a file, a namespace, a class
(translation_unit
  (declaration
    declarator: (init_declarator
      declarator: (identifier) @name
      value: (lambda_expression body: (_) @body))) @method)
(namespace_definition
  body: (declaration_list
    (declaration
      declarator: (init_declarator
        declarator: (identifier) @name
        value: (lambda_expression body: (_) @body))) @method))
(field_declaration
  declarator: (field_identifier) @name
  default_value: (lambda_expression body: (_) @body)) @method

; ---- Calls with a name and a function

; TEST_CASE("adds an item") { … }, of Catch2 and doctest
((expression_statement
   (call_expression
     function: (identifier) @_macro
     arguments: (argument_list . (string_literal) @name))) @call
 . (compound_statement) @body @end
 (#match? @_macro "^[A-Z][A-Z0-9_]*$"))

; ---- Members

(enumerator name: (identifier) @member)

; Fields, with up to three pointers, arrays, pointers to functions and references.
(field_declaration
  declarator: [
    (field_identifier) @member
    (pointer_declarator
      declarator: [
        (field_identifier) @member
        (pointer_declarator
          declarator: [
            (field_identifier) @member
            (pointer_declarator declarator: (field_identifier) @member)
          ])
        (array_declarator declarator: (field_identifier) @member)
        (function_declarator
          declarator: (parenthesized_declarator
            (pointer_declarator declarator: (field_identifier) @member)))
      ])
    (array_declarator
      declarator: [
        (field_identifier) @member
        (array_declarator declarator: (field_identifier) @member)
      ])
    (function_declarator
      declarator: (parenthesized_declarator
        (pointer_declarator declarator: (field_identifier) @member)))
    (reference_declarator (field_identifier) @member)
  ])

; #define MAX 3
(preproc_def name: (identifier) @member value: (_))

; Variables of a file or a namespace, with a value or without; tree-sitter misses some in an
; alternation right inside another one.
$variables = [
  (declaration declarator: $variable)
  (declaration declarator: (init_declarator declarator: $variable))
]
(translation_unit $variables)
(declaration_list $variables)
(linkage_specification $variables)
(export_declaration $variables)
; In conditions outside of functions.
([
   (preproc_if $variables)
   (preproc_ifdef $variables)
   (preproc_elif $variables)
   (preproc_else $variables)
 ] @_condition
 (#has-parent? @_condition "translation_unit" "declaration_list"
   "translation_unit preproc_if" "translation_unit preproc_ifdef"
   "declaration_list preproc_if" "declaration_list preproc_ifdef"
   "translation_unit preproc_ifdef preproc_if" "translation_unit preproc_ifdef preproc_ifdef"))

; typedef struct cart { … } Cart: the inner name
(type_definition type: (_ name: (type_identifier) @member body: (_)))

; ---- Comments

(comment) @doc
