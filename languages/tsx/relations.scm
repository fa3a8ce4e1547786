; What the nodes of TSX call, use, inherit and import.

; <Cart />, <Cart>…</Cart>, <shop.Cart>: a component is called
(jsx_closing_element name: (identifier) @argument_label)
(jsx_opening_element name: (identifier) @calls)
(jsx_self_closing_element name: (identifier) @calls)
(jsx_opening_element name: (member_expression property: (property_identifier) @calls))
(jsx_self_closing_element name: (member_expression property: (property_identifier) @calls))

; <Cart total={3} />: a field of the component's properties
(jsx_attribute . (property_identifier) @key)
