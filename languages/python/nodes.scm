; What is a node in Python.

; ---- Types

(class_definition name: (identifier) @name) @type

; type Prices = dict[str, int]
(type_alias_statement
  left: (type [(identifier) @name (generic_type . (identifier) @name)])) @type

; ---- Functions

(function_definition name: (identifier) @name) @method

; add = lambda item: … of a module, then of a class
(module (assignment left: (identifier) @name right: (lambda)) @method)
(class_definition body: (block (assignment left: (identifier) @name right: (lambda)) @method))

; ---- Members

; Variables of a module, then of a class.
(module (assignment left: (identifier) @member (#set! scope "file")))
(class_definition body: (block (assignment left: (identifier) @member)))

; self.total = total
((assignment
   left: [
     (attribute object: (identifier) @_self attribute: (identifier) @member)
     (pattern_list (attribute object: (identifier) @_self attribute: (identifier) @member))
   ])
 (#set! scope "object")
 (#eq? @_self "self"))

; ---- Comments

; Decorators belong to the function below them like comments.
[(comment) (decorator)] @doc
