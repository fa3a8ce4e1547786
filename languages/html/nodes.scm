; What is a node in HTML.

; Elements that are a section by themselves if they begin with a heading.
$section_tag = "^(?i:section|article|aside|nav|dialog|form|fieldset|template)$"

; Elements that are one only with an id.
$tag_with_id = "^(?i:div|main|header|footer)$"

$id = "^(?i:id)$"

; ---- Sections

; For each level: the heading; a section that begins with it; an element with an id that does.
((element (start_tag (tag_name) @_tag)) @h1 @markup (#match? @_tag "^[hH]1$"))
((element .
   (start_tag (tag_name) @_frame)
   . (element (start_tag (tag_name) @_tag)) @h1 @markup) @frame
 (#match? @_frame $section_tag)
 (#match? @_tag "^[hH]1$"))
((element .
   (start_tag (tag_name) @_frame (attribute (attribute_name) @_id))
   . (element (start_tag (tag_name) @_tag)) @h1 @markup) @frame
 (#match? @_frame $tag_with_id)
 (#match? @_id $id)
 (#match? @_tag "^[hH]1$"))
((element (start_tag (tag_name) @_tag)) @h2 @markup (#match? @_tag "^[hH]2$"))
((element .
   (start_tag (tag_name) @_frame)
   . (element (start_tag (tag_name) @_tag)) @h2 @markup) @frame
 (#match? @_frame $section_tag)
 (#match? @_tag "^[hH]2$"))
((element .
   (start_tag (tag_name) @_frame (attribute (attribute_name) @_id))
   . (element (start_tag (tag_name) @_tag)) @h2 @markup) @frame
 (#match? @_frame $tag_with_id)
 (#match? @_id $id)
 (#match? @_tag "^[hH]2$"))
((element (start_tag (tag_name) @_tag)) @h3 @markup (#match? @_tag "^[hH]3$"))
((element .
   (start_tag (tag_name) @_frame)
   . (element (start_tag (tag_name) @_tag)) @h3 @markup) @frame
 (#match? @_frame $section_tag)
 (#match? @_tag "^[hH]3$"))
((element .
   (start_tag (tag_name) @_frame (attribute (attribute_name) @_id))
   . (element (start_tag (tag_name) @_tag)) @h3 @markup) @frame
 (#match? @_frame $tag_with_id)
 (#match? @_id $id)
 (#match? @_tag "^[hH]3$"))
((element (start_tag (tag_name) @_tag)) @h4 @markup (#match? @_tag "^[hH]4$"))
((element .
   (start_tag (tag_name) @_frame)
   . (element (start_tag (tag_name) @_tag)) @h4 @markup) @frame
 (#match? @_frame $section_tag)
 (#match? @_tag "^[hH]4$"))
((element .
   (start_tag (tag_name) @_frame (attribute (attribute_name) @_id))
   . (element (start_tag (tag_name) @_tag)) @h4 @markup) @frame
 (#match? @_frame $tag_with_id)
 (#match? @_id $id)
 (#match? @_tag "^[hH]4$"))
((element (start_tag (tag_name) @_tag)) @h5 @markup (#match? @_tag "^[hH]5$"))
((element .
   (start_tag (tag_name) @_frame)
   . (element (start_tag (tag_name) @_tag)) @h5 @markup) @frame
 (#match? @_frame $section_tag)
 (#match? @_tag "^[hH]5$"))
((element .
   (start_tag (tag_name) @_frame (attribute (attribute_name) @_id))
   . (element (start_tag (tag_name) @_tag)) @h5 @markup) @frame
 (#match? @_frame $tag_with_id)
 (#match? @_id $id)
 (#match? @_tag "^[hH]5$"))
((element (start_tag (tag_name) @_tag)) @h6 @markup (#match? @_tag "^[hH]6$"))
((element .
   (start_tag (tag_name) @_frame)
   . (element (start_tag (tag_name) @_tag)) @h6 @markup) @frame
 (#match? @_frame $section_tag)
 (#match? @_tag "^[hH]6$"))
((element .
   (start_tag (tag_name) @_frame (attribute (attribute_name) @_id))
   . (element (start_tag (tag_name) @_tag)) @h6 @markup) @frame
 (#match? @_frame $tag_with_id)
 (#match? @_id $id)
 (#match? @_tag "^[hH]6$"))

; <section id="install">: an element that is a section without a heading
((element
   (start_tag
     (tag_name) @_tag
     (attribute
       (attribute_name) @_id
       [(attribute_value) @name (quoted_attribute_value (attribute_value) @name)]))) @anchor @frame
 (#match? @_tag
   "^(?i:section|article|aside|nav|dialog|form|fieldset|template|div|main|header|footer|table)$")
 (#match? @_id $id))

; <pre> and <table> are nodes of their own.
((element (start_tag (tag_name) @_tag)) @codeblock @inset (#match? @_tag "^(?i:pre)$"))
((element (start_tag (tag_name) @_tag)) @table (#match? @_tag "^(?i:table)$"))

; ---- Other languages

; <script> without a type
((script_element (start_tag) @_tag (raw_text) @content) @embedded
 (#set! ending "js")
 (#not-match? @_tag "\\stype\\s*="))

; <script type="module">, text/javascript and the like
((script_element (start_tag) @_tag (raw_text) @content) @embedded
 (#set! ending "js")
 (#match? @_tag
   "\\stype\\s*=\\s*[\"']?(module|(text|application)/(javascript|ecmascript|babel|jsx))\\b"))
((style_element (raw_text) @content) @embedded (#set! ending "css"))
