; What is a node in Elixir.

; ---- Types

; defmodule Shop.Cart do … end
((call target: (identifier) @_kind (arguments . (alias) @name .) (do_block) @body) @type
 (#any-of? @_kind "defmodule" "defprotocol"))

; defimpl Show, for: Cart do … end, named Show.Cart
((call
   target: (identifier) @_kind
   (arguments . (alias) @scope (keywords (pair value: (alias) @name)))
   (do_block) @body) @type
 (#eq? @_kind "defimpl"))

; defimpl Show do … end, inside the module of the type
((call target: (identifier) @_kind (arguments . (alias) @name) (do_block) @body) @type
 (#eq? @_kind "defimpl"))

; ---- Functions

; def add(cart, item) when … do … end: clauses of one name below each other are one node
((call
   target: (identifier) @_kind
   (arguments .
     [
       (identifier) @name
       (call target: (identifier) @name)
       (binary_operator
         left: [
           (identifier) @name
           (call target: (identifier) @name)
           (binary_operator operator: _ @name)
         ]
         operator: "when")
     ]
     (keywords)? @body)
   (do_block)? @body) @method @clause
 (#any-of? @_kind "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp" "defdelegate"
   "defn" "defnp"))

; def a + b, do: …: an operator
((call
   target: (identifier) @_kind
   (arguments .
     [(binary_operator operator: _ @name) (unary_operator operator: _ @name)]
     (keywords)? @body)
   (do_block)? @body) @method @clause
 (#any-of? @_kind "def" "defp" "defmacro" "defmacrop")
 (#not-eq? @name "when"))

; test "adds an item" do … end
((call target: (identifier) @_kind (arguments . (string) @name) (do_block) @body) @method
 (#any-of? @_kind "test" "describe" "property" "feature"))

; @callback add(item) :: cart
((unary_operator operator: "@"
   operand: (call
     target: (identifier) @_kind
     (arguments . (binary_operator left: (call target: (identifier) @name))))) @method
 (#any-of? @_kind "callback" "macrocallback"))

; ---- Comments

(comment) @doc

; @doc, @spec and other attributes of the function below them.
((unary_operator operator: "@" operand: (call target: (identifier) @_kind)) @doc
 (#any-of? @_kind "doc" "spec" "impl" "deprecated" "since" "dialyzer" "tag" "describetag"))
