; What is a node in Markdown.

; ---- Sections

; # Heading, of six levels
(atx_heading (atx_h1_marker) heading_content: (_)? @name) @h1
(atx_heading (atx_h2_marker) heading_content: (_)? @name) @h2
(atx_heading (atx_h3_marker) heading_content: (_)? @name) @h3
(atx_heading (atx_h4_marker) heading_content: (_)? @name) @h4
(atx_heading (atx_h5_marker) heading_content: (_)? @name) @h5
(atx_heading (atx_h6_marker) heading_content: (_)? @name) @h6

; A heading that is underlined with `=` or `-`.
(setext_heading heading_content: (_) @name (setext_h1_underline)) @h1
(setext_heading heading_content: (_) @name (setext_h2_underline)) @h2
(fenced_code_block) @codeblock

; Headings in a list or a quotation are not the document's.
[(list) (block_quote)] @inset
