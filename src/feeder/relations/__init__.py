"""Relations: what refers to a definition, what implements it, and what it refers to.

Entry points: `references.find_references`, `references.find_implementations`, `uses.find_uses`,
`definitions.find_definitions` and `overview`. Read in this order:

- `outcomes`: a site is resolved, possible, or elsewhere.
- `modules`: what a definition is.
- `manifests`, `module_paths` and `exports`: which file an import leads to. The names that
  package.json and others give to modules are read by `parse.manifests`.
- `file_facts`: what a file imports and declares.
- `resolution`: does a site mean this definition?
- `references`: which sites there are.

This package never ranks by text, never writes, and leaves a site out only with evidence of what it
means instead.
"""
