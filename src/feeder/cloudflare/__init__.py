"""The border to Cloudflare: its API, D1, Vectorize, Workers AI, and what they cost."""
