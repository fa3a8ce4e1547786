"""Client of Cloudflare's REST API: D1, Vectorize, Workers AI, provisioning, wrangler files and
free-tier usage. Start with `api`. Knows no git and no source files.
"""
