"""Relations: what refers to a definition, what implements it, and what it refers to.

Entry points: `references.find_references`, `references.find_implementations`, `uses.find_uses`,
`definitions.find_definitions` and `overview`. Read in this order:

- `outcomes`: a site is resolved, possible, or elsewhere.
- `modules`: what a definition is.
- `manifests`, `module_paths` and `exports`: which file an import leads to. The names that
  package.json and others give to modules are read by `parse.manifests`.
- `file_facts`: what a file imports and declares.
- `node_definitions`, `relation_reader`: which definition a node is; what is read from the index.
- `resolution`: does a site mean this definition? By a name in a file (`name_resolution`), or by
  the receiver of a member (`member_resolution`).
- `subtypes`, `go_members`, `families`: the types below a type, and what a member's resolver needs.
- `site_finder`, `other_names`, `bases`: the sites of a name, of its other names, of its bases.
- `references`: all of these for one definition.

This package never ranks by text, never writes, and leaves a site out only with evidence of what it
means instead.
"""
