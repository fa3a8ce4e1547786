"""Client of Cloudflare's REST API: D1, Vectorize, Workers AI, provisioning, wrangler files and
free-tier usage.

Start with `api.Api.call`, through which all requests go. This package never runs git and never
reads source files.
"""
