; What is a node in Vue.

; ---- Other languages

; <script lang="ts">
((script_element
   (start_tag
     (attribute (attribute_name) @_name (quoted_attribute_value (attribute_value) @ending)))
   (raw_text) @content) @embedded
 (#eq? @_name "lang"))

; <script> without a language is JavaScript.
((script_element (start_tag) @_tag (raw_text) @content) @embedded
 (#set! ending "js")
 (#not-match? @_tag "\\slang\\s*="))

; <style lang="scss">
((style_element
   (start_tag
     (attribute (attribute_name) @_name (quoted_attribute_value (attribute_value) @ending)))
   (raw_text) @content) @embedded
 (#eq? @_name "lang"))

; <style> without a language is CSS.
((style_element (start_tag) @_tag (raw_text) @content) @embedded
 (#set! ending "css")
 (#not-match? @_tag "\\slang\\s*="))

; {{ total(cart) }}, :title="total(cart)", <Cart>
(interpolation (raw_text) @expression)
(directive_attribute (quoted_attribute_value (attribute_value) @expression))
[(start_tag (tag_name) @component) (self_closing_tag (tag_name) @component)]
