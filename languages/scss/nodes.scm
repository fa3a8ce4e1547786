; What is a node in SCSS.

; ---- Types

; @keyframes fade { … }
(keyframes_statement (keyframes_name) @name (keyframe_block_list) @body) @type

; @layer base { … }
((at_rule (at_keyword) @_at (keyword_query) @name (block) @body) @type (#eq? @_at "@layer"))

; %button { … }
(rule_set (selectors . (placeholder (identifier) @name) .) (block) @body) @type

; ---- Functions

; @mixin button { … }, @function double($n) { … }
[
  (mixin_statement name: (identifier) @name (block) @body)
  (function_statement name: (identifier) @name (block) @body)
] @method

; ---- Comments

[(comment) (js_comment)] @doc

; ---- Where a long text is split

; A rule is no node: there would be thousands. A long sheet is split before its rules.
(stylesheet (_) @part)
(block
  [
    (rule_set)
    (media_statement)
    (supports_statement)
    (at_rule)
    (mixin_statement)
    (function_statement)
  ] @part)
