; What is a node in Svelte.

include "../component/nodes.scm"

; ---- Other languages

; {total(cart)}, on:click={() => add(item)}, {#if total > 0}, <Cart>
(raw_text_expr) @expression
[(start_tag (tag_name) @component) (self_closing_tag (tag_name) @component)]
