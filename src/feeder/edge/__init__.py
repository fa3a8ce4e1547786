"""Writes the folder of the Cloudflare Worker that serves the index.

Start with `worker_folder`. Never calls Cloudflare: wrangler deploys the folder.
"""
