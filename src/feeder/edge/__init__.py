"""The Worker that answers at Cloudflare's edge: its folder, written beside the configuration."""
