; What is a node in GraphQL.

; ---- Types

; Types with fields or values, and their extensions.
[
  (object_type_definition (name) @name (fields_definition)? @body)
  (object_type_extension (name) @name (fields_definition)? @body)
  (interface_type_definition (name) @name (fields_definition)? @body)
  (interface_type_extension (name) @name (fields_definition)? @body)
  (input_object_type_definition (name) @name (input_fields_definition)? @body)
  (input_object_type_extension (name) @name (input_fields_definition)? @body)
  (enum_type_definition (name) @name (enum_values_definition)? @body)
  (enum_type_extension (name) @name (enum_values_definition)? @body)
] @type

; Unions, scalars, directives, and the schema itself.
[
  (union_type_definition (name) @name)
  (union_type_extension (name) @name)
  (scalar_type_definition (name) @name)
  (directive_definition (name) @name)
  (schema_definition "schema" @name "{" @body)
] @type

; ---- Functions

; A field of the root types is an operation: `cart(id: ID!): Cart` in Query.
((object_type_definition
   (name) @_type
   (fields_definition (field_definition (name) @name) @method))
 (#any-of? @_type "Query" "Mutation" "Subscription"))
((object_type_extension
   (name) @_type
   (fields_definition (field_definition (name) @name) @method))
 (#any-of? @_type "Query" "Mutation" "Subscription"))

; Fragments and operations of a client.
[
  (fragment_definition (fragment_name) @name (selection_set) @body)
  (operation_definition (name) @name (selection_set) @body)
] @method

; ---- Comments

[(comment) (description)] @doc
