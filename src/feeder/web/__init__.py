"""The HTTP server on this machine: JSON API, the page, documents, and MCP on `POST /mcp`.

Entry points: `app.create_app` builds the application, `server.listen` and `server.run_server`
serve it. `web` contains no ranking, SQL or tool logic: it calls `feeder.mcp.service` and
formats; nothing is answered without the token except the page's static files and the token
form.
"""
