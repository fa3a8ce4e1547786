; What is a node in Vue.

include "../component/nodes.scm"

; ---- Other languages

; {{ total(cart) }}, :title="total(cart)", <Cart>
(interpolation (raw_text) @expression)
(directive_attribute (quoted_attribute_value (attribute_value) @expression))
[(start_tag (tag_name) @component) (self_closing_tag (tag_name) @component)]
