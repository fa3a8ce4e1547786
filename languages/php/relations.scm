; What the nodes of PHP call, use, inherit and import.

; A type by its name: `Store`, `Acme\Store`.
$used = [(name) @uses (qualified_name (name) @uses)]

$implemented = [(name) @implements (qualified_name (name) @implements)]

$called = [(name) @calls (qualified_name (name) @calls)]

$imported = [(name) @imports (qualified_name) @imports]

$type = [(named_type) (optional_type)]

; add($item), Acme\add($item)
(function_call_expression function: $called)

; new Line($item)
(object_creation_expression $called)

; new Cart(size: 3): fields of the type
(object_creation_expression
  [(name) @bound (qualified_name (name) @bound)]
  (arguments (argument name: (name) @fields)))

; $store->put($item), $store?->put($item), Store::open()
(member_call_expression name: (name) @calls)
(nullsafe_member_call_expression name: (name) @calls)
(scoped_call_expression name: (name) @calls)

; $store->size, Store::MAX
(member_access_expression name: (name)) @accesses
(nullsafe_member_access_expression name: (name)) @accesses
(class_constant_access_expression (_) (name)) @accesses

; Store::$open
(scoped_property_access_expression name: (variable_name (name) @attributes))

; The class before `::`, and behind `instanceof`.
(scoped_call_expression scope: $used)
(class_constant_access_expression . $used)
(scoped_property_access_expression scope: $used)
(binary_expression operator: "instanceof" right: $used)

; A constant alone, where it is read.
[
  (argument (name) @visible .)
  (binary_expression (name) @visible)
  (assignment_expression right: (name) @visible)
  (return_statement (name) @visible)
  (array_element_initializer (name) @visible)
  (parenthesized_expression (name) @visible)
  (conditional_expression (name) @visible)
  (echo_statement (name) @visible)
  (unary_op_expression (name) @visible)
  (subscript_expression (name) @visible)
  (case_statement value: (name) @visible)
  (match_condition_list (name) @visible)
  (match_conditional_expression return_expression: (name) @visible)
  (simple_parameter default_value: (name) @visible)
  (property_element default_value: (name) @visible)
  (const_element (name) (name) @visible)
]

; extends Base
(base_clause [(name) @inherits (qualified_name (name) @inherits)])

; implements Sender; also `use Counting;` of a trait inside a class
(class_interface_clause $implemented)
(class_declaration body: (declaration_list (use_declaration $implemented)))
(enum_declaration body: (enum_declaration_list (use_declaration $implemented)))
(trait_declaration body: (declaration_list (use_declaration $implemented)))

; use Counting { add as private plus; Counting::size as length; }: methods of the trait
((use_declaration [(name) @bound (qualified_name (name) @bound)]
   (use_list (_ . (name) @unpacked)))
 (#set! unpacked "call"))
((use_list
   (_
     (class_constant_access_expression
       [(name) @bound (qualified_name (name) @bound)] (name) @unpacked)))
 (#set! unpacked "call"))

; Types: of parameters and results, in attributes and `catch`.
(named_type $used)
(attribute $used)
(catch_clause type: (type_list (named_type (name) @uses)))

; use Acme\Store as Shelf;
(namespace_use_declaration (namespace_use_clause . $imported alias: (name)? @alias))

; use Acme\{Store, Item as Thing};
(namespace_use_declaration
  (namespace_name) @module
  body: (namespace_use_group (namespace_use_clause . $imported alias: (name)? @alias)))

; Store $store as a parameter, a promoted one, a property.
(simple_parameter type: $type @bound name: (variable_name (name) @parameter))
(property_promotion_parameter type: $type @bound name: (variable_name (name) @binds))
(property_declaration type: $type @bound (property_element name: (variable_name (name) @binds)))

; $store = new Store(), $this->store = new Store()
(assignment_expression
  left: [(variable_name (name) @binds) (member_access_expression name: (name) @binds)]
  right: (object_creation_expression [(name) @bound (qualified_name (name) @bound)]))

; function add(): Line
(_ return_type: $type @returns)

; A modifier that says who sees a declaration.
(visibility_modifier) @visibility

; require 'stock.php', include_once("$root/stock.php")
$text = (_ (string_content) @module .)
([
  (require_expression [$text (parenthesized_expression $text)])
  (require_once_expression [$text (parenthesized_expression $text)])
  (include_expression [$text (parenthesized_expression $text)])
  (include_once_expression [$text (parenthesized_expression $text)])
 ]
 (#set! imported "!"))

; require ROOT . '/stock.php'
$joined = (binary_expression left: (_) @_folder right: $text)
$load = [
  (require_expression [$joined (parenthesized_expression $joined)])
  (require_once_expression [$joined (parenthesized_expression $joined)])
  (include_expression [$joined (parenthesized_expression $joined)])
  (include_once_expression [$joined (parenthesized_expression $joined)])
]
($load
 (#set! imported "!")
 (#not-match? @_folder "^(__DIR__|dirname\\((__FILE__|__DIR__)\\))$"))

; require __DIR__ . '/stock.php': beside the file
($load
 (#set! imported "!")
 (#set! prefix "./")
 (#any-of? @_folder "__DIR__" "dirname(__FILE__)"))

; require dirname(__DIR__) . '/stock.php': in the folder above
($load (#set! imported "!") (#set! prefix "../") (#eq? @_folder "dirname(__DIR__)"))
