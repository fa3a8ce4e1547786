; What a component of Vue or Svelte has inside.

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
