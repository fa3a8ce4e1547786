; What the nodes of Ruby call, use, inherit and import.

$name_or_constant = [(identifier) (constant)]

; A constant is a class or a module.
(constant) @attributes

; A name without a receiver is a call, unless it is a local variable.
(identifier) @implicit

; What declares a local variable.
[
  (assignment left: (identifier) @locals)
  (left_assignment_list (identifier) @locals)
  (destructured_left_assignment (identifier) @locals)
  (rest_assignment (identifier) @locals)
  (operator_assignment left: (identifier) @locals)
  (method_parameters (identifier) @locals)
  (block_parameters (identifier) @locals)
  (lambda_parameters (identifier) @locals)
  (destructured_parameter (identifier) @locals)
  (optional_parameter name: (identifier) @locals)
  (keyword_parameter name: (identifier) @locals)
  (splat_parameter name: (identifier) @locals)
  (hash_splat_parameter name: (identifier) @locals)
  (block_parameter name: (identifier) @locals)
  (exception_variable (identifier) @locals)
  (for pattern: (identifier) @locals)
  (in_clause pattern: (identifier) @locals)
  (match_pattern pattern: (identifier) @locals)
  (array_pattern (identifier) @locals)
  (find_pattern (identifier) @locals)
  (alternative_pattern alternatives: (identifier) @locals)
  (as_pattern name: (identifier) @locals)
  (keyword_pattern value: (identifier) @locals)
  (keyword_pattern key: (hash_key_symbol) @locals !value)
]

; super, super(item): the base's method of the same name
((super) @base (#set! inside "method singleton_method"))

; cart.add(item), add item
(call method: $name_or_constant @calls)

; Cart.new(size: 3): fields of the type
(call
  receiver: [(constant) @bound (scope_resolution name: (constant) @bound)]
  method: (identifier) @_new
  arguments: (argument_list (pair key: (hash_key_symbol) @fields))
  (#eq? @_new "new"))

; alias total size: `total` calls `size`
(alias
  name: [(identifier) (simple_symbol)] @macro
  alias: [(identifier) (simple_symbol)] @expands)

; alias_method :total, :size
(call
  method: (identifier) @_alias
  arguments: (argument_list . (simple_symbol) @macro . (simple_symbol) @expands)
  (#eq? @_alias "alias_method"))

; map(&:size), method(:add), cart.method(:add), before_action :load in a class
(block_argument (simple_symbol) @symbol)
(call
  !receiver
  method: (identifier) @_method
  arguments: (argument_list . (simple_symbol) @symbol)
  (#any-of? @_method
    "__send__" "enum_for" "method" "module_function" "private" "protected" "public" "public_send"
    "remove_method" "respond_to?" "send" "to_enum" "undef_method"))
(call
  receiver: (_) @receiver
  method: (identifier) @_method
  arguments: (argument_list . (simple_symbol) @symbol)
  (#any-of? @_method
    "__send__" "enum_for" "instance_method" "method" "public_send" "respond_to?" "send" "to_enum"))
(_ body: (body_statement
  (call !receiver method: (identifier) arguments: (argument_list (simple_symbol) @symbol))))

; class Cart < Base
(superclass [(constant) @inherits (scope_resolution name: (constant) @inherits)])

; Class.new(Base) do … end: a class without a name, or with that of its constant
(call
  receiver: (constant) @_class
  method: (identifier) @_new
  arguments: (argument_list . [(constant) @unnamed (scope_resolution name: (constant) @unnamed)])
  (#eq? @_class "Class")
  (#eq? @_new "new"))
(assignment
  left: (constant)
  right: (call
    receiver: (constant) @_class
    method: (identifier) @_new
    arguments: (argument_list
      . [(constant) @inherits (scope_resolution name: (constant) @inherits)]))
  (#eq? @_class "Class")
  (#eq? @_new "new"))

; include Counting
(call
  method: (identifier) @_include
  arguments: (argument_list
    [(constant) @implements (scope_resolution name: (constant) @implements)])
  (#any-of? @_include "include" "extend" "prepend"))

; require "stock", load "stock.rb", autoload :Stock, "stock"
((call
   method: (identifier) @_require
   arguments: (argument_list . (string (string_content) @module)))
 (#set! imported "!")
 (#any-of? @_require "require" "load"))
((call
   method: (identifier) @_autoload
   arguments: (argument_list . (simple_symbol) . (string (string_content) @module)))
 (#set! imported "!")
 (#eq? @_autoload "autoload"))

; require_relative "stock": beside the file
((call
   method: (identifier) @_require
   arguments: (argument_list . (string (string_content) @module)))
 (#set! imported "!")
 (#set! prefix "./")
 (#eq? @_require "require_relative"))

; require File.expand_path("../stock", __FILE__), where `..` is the folder of the file
((call
   method: (identifier) @_require
   arguments: (argument_list
     . (call
         method: (identifier) @_path
         arguments: (argument_list . (string (string_content) @module) . (_) @_file))))
 (#set! imported "!")
 (#set! prefix "./_/")
 (#any-of? @_require "require" "load")
 (#eq? @_path "expand_path")
 (#eq? @_file "__FILE__"))

; require File.expand_path("stock", __dir__), require File.join(__dir__, "stock")
((call
   method: (identifier) @_require
   arguments: (argument_list
     . (call
         method: (identifier) @_path
         arguments: [
           (argument_list . (string (string_content) @module) . (_) @_folder)
           (argument_list . (_) @_folder . (string (string_content) @module) .)
         ])))
 (#set! imported "!")
 (#set! prefix "./")
 (#any-of? @_require "require" "load")
 (#any-of? @_path "expand_path" "join")
 (#any-of? @_folder "__dir__" "File.dirname(__FILE__)"))

; store = Store.new
(assignment
  left: [(identifier) (instance_variable) (constant)] @binds
  right: (call
    receiver: [(constant) (scope_resolution)] @bound
    method: (identifier) @_new
    (#eq? @_new "new")))

; A name alone as a statement.
(body_statement (identifier) @statement)

; Where a local variable ends.
[(method) (singleton_method) (block) (do_block) (lambda)] @local_scope
