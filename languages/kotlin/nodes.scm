; What is a node in Kotlin.

$comment = [(line_comment) (multiline_comment)]

; A getter or a setter with code of its own.
$accessor = [(getter (function_body)) (setter (function_body))]

; The receiver of an extension: `Cart` in `fun Cart?.total()`.
$receiver = [(user_type) @scope (nullable_type (user_type) @scope)]

; ---- Package

; package acme.shop
(package_header (identifier) @name) @package

; ---- Types

; class Cart { … }, also interface and enum class
(class_declaration (type_identifier) @name [(class_body) (enum_class_body)]? @body) @type

; object Registry { … }
(object_declaration (type_identifier) @name (class_body)? @body) @type

; typealias Prices = Map<String, Int>
(type_alias "typealias" . (type_identifier) @name) @type

; companion object Factory { … }
(companion_object (type_identifier) @name (class_body)? @body) @type

; companion object { … }, which Kotlin calls Companion
((companion_object (class_body)? @body) @type (#set! name "Companion"))

; ---- Functions

; fun Cart.total(): Int
(function_declaration
  receiver: (receiver_type $receiver)
  (simple_identifier) @name
  (function_body)? @body) @method

; fun total(): Int
(function_declaration (simple_identifier) @name (function_body)? @body) @method

; constructor(items: List<Item>) : this()
(secondary_constructor "constructor" @name "{"? @body) @method

; init { … }
(anonymous_initializer "init" @name "{" @body) @method

; Properties with code. A getter and a setter follow the property as its siblings: first the
; extensions (`val Cart.size`) with both, then with one of them.
((property_declaration
   receiver: (receiver_type $receiver)
   (variable_declaration (simple_identifier) @name)) @method
 . $comment*
 . $accessor @body @end
 . $accessor @end)
((property_declaration
   receiver: (receiver_type $receiver)
   (variable_declaration (simple_identifier) @name)) @method
 . $comment*
 . $accessor @body @end)

; The same without a receiver.
((property_declaration (variable_declaration (simple_identifier) @name)) @method
 . $comment*
 . $accessor @body @end
 . $accessor @end)
((property_declaration (variable_declaration (simple_identifier) @name)) @method
 . $comment*
 . $accessor @body @end)

; val size get() = … on one line, where the getter is a child of the property.
(property_declaration
  receiver: (receiver_type $receiver)
  (variable_declaration (simple_identifier) @name)
  $accessor @body) @method
(property_declaration (variable_declaration (simple_identifier) @name) $accessor @body) @method

; val onClick = { … }
(property_declaration
  (variable_declaration (simple_identifier) @name)
  [(lambda_literal) (anonymous_function)] @body) @method

; ---- Calls with a name and a function

; test("adds an item") { … } and "adds an item" { … }, as Kotest and Gradle have them
(source_file
  (call_expression
    (call_suffix
      (value_arguments . (value_argument (string_literal) @name))
      (annotated_lambda (lambda_literal "{" @body)))) @call)
(statements
  (call_expression
    (call_suffix
      (value_arguments . (value_argument (string_literal) @name))
      (annotated_lambda (lambda_literal "{" @body)))) @call)
(source_file
  (call_expression
    (string_literal) @name
    (call_suffix (annotated_lambda (lambda_literal "{" @body)))) @call)
(statements
  (call_expression
    (string_literal) @name
    (call_suffix (annotated_lambda (lambda_literal "{" @body)))) @call)

; ---- Objects

; val listener = object : Listener { … }
(property_declaration
  (variable_declaration (simple_identifier) @name)
  (object_literal (class_body) @body)) @object

; RED { override fun … }: an enum entry with a body
(enum_entry (simple_identifier) @name (class_body) @body) @object

; ---- Members

; Properties of a class, then of the file.
(class_body (property_declaration (variable_declaration (simple_identifier) @member)))
(source_file (property_declaration (variable_declaration (simple_identifier) @member)))

; class Cart(val items: List<Item>)
(class_parameter (binding_pattern_kind) (simple_identifier) @member)

; RED, GREEN
(enum_entry (simple_identifier) @member)

; ---- Functions and objects without a name

[(lambda_literal) (anonymous_function) (object_literal)] @closure

; ---- Comments

$comment @doc

; An annotation before an expression.
(prefix_expression . (annotation) . [(parenthesized_expression) (prefix_expression)] .) @doc
