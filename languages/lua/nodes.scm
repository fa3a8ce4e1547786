; What is a node in Lua.

; ---- Functions

; function add() … end
(function_declaration name: (identifier) @name) @method

; function Cart.add() … end, function Cart:add() … end
(function_declaration name: (_ table: (_) @scope . (identifier) @name)) @method

; Cart["add"] = function() … end
(assignment_statement
  (variable_list . name: (bracket_index_expression table: (_) @scope field: (string) @name) .)
  (expression_list . value: (function_definition) .)) @method

; Cart.add = function() … end
(assignment_statement
  (variable_list . name: (_) @name .)
  (expression_list . value: (function_definition) .)) @method

; add = function() … end in a table
(field name: (_) @name value: (function_definition)) @method

; describe("a cart", function() … end)
(function_call
  arguments: (arguments . (string) @name (function_definition body: (_)? @body) .)) @method

; ---- Objects

; Cart = { add = function() … end }
(assignment_statement
  (variable_list . name: (_) @name .)
  (expression_list . value: (table_constructor (field value: (function_definition))) @body .)) @object

; cart = { add = function() … end } in a table
(field
  name: (_) @name
  value: (table_constructor (field value: (function_definition))) @body) @object

; ---- Functions and objects without a name

(function_definition) @closure

; A table that has functions.
(table_constructor (field value: (function_definition))) @closure

; ---- Comments

(comment) @doc
