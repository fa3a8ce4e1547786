"""Relations: what refers to a definition, what implements it, and what it refers to.

Entry points: `references.find_references`, `references.find_implementations`,
`definitions.find_definitions` and `overview`. Read `outcomes` first (resolved, possible,
elsewhere), then `modules` and `resolution` (does a site mean this definition?), then `references`
(which sites there are). This package never ranks by text, never writes, and leaves a site out only
with evidence of what it means instead.
"""
