"""What does every answer over HTTP carry, and how much is taken? For the server and the Worker."""

MAX_BODY_BYTES = 1024 * 1024
OWN_FETCH_SITES = ("same-origin", "none")
"""What a browser says of requests of our own page, and of its user."""
SECURITY_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""That keep a browser safe."""
NOT_FOUND_REMEDY = "Ask POST /mcp, or GET /api/search?q=…."
"""What whoever asks for something else is told."""
