; What the nodes of Pascal call, use, inherit and import.

; Add(Item)
(exprCall entity: (identifier) @calls)

; Add; as a statement
(statement (identifier) @calls)

; with Cart do: its members need no receiver in the block
(with (kWith) @calls)

; inherited Add(Item), inherited Add
(inherited (identifier) @base)

; inherited; the base's method of the same name
((inherited . (kInherited) .) @base (#set! inside "defProc"))

; Store.Size
(exprDot) @accesses

; Any identifier: what it is follows from the text around it.
(identifier) @visible

; What declares a variable or a parameter, and where it ends.
[
  (declArg name: (identifier) @locals)
  (declVar name: (identifier) @locals)
  (exceptionHandler variable: (identifier) @locals)
  (varAssignDef . (identifier) @locals)
]
[(defProc) (lambda) (exceptionHandler)] @local_scope

; class(TBase), class(TList<TItem>)
(_ parent: (typeref [(identifier) @inherits (typerefTpl entity: (identifier) @inherits)]))

; A type by its name, with type arguments, behind `^`.
[
  (typeref (identifier) @uses)
  (typerefTpl entity: (identifier) @uses)
  (typerefArgs (identifier) @uses)
  (typerefPtr operand: (identifier) @uses)
]

; read FSize write SetSize
[(declProp getter: (identifier) @attributes) (declProp setter: (identifier) @attributes)]

; Item is TItem, Item as TItem
[(exprBinary operator: [(kIs) (kAs)] rhs: (identifier) @uses) (exprTpl (identifier) @uses)]

; uses Shop.Stock;
(declUses (moduleName) @module)

; Item: TItem as a parameter, a variable, a field, a property.
(declArg name: (identifier) @parameter type: (type) @bound)
[
  (declVar name: (identifier) @binds type: (type) @bound)
  (declField name: (identifier) @binds type: (type) @bound)
  (declProp name: (identifier) @binds type: (_) @bound)
]

; Store := TStore.Create
(assignment
  lhs: (identifier) @binds
  rhs: [
    (exprCall entity: (exprDot lhs: (identifier) @constructed))
    (exprDot lhs: (identifier) @constructed)
  ])

; function Add: TLine
(declProc type: (typeref) @returns)

; A modifier that says who sees a declaration.
(declSection [(kPublic) (kPrivate) (kProtected) (kPublished)] @visibility)
