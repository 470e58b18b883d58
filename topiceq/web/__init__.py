"""The explorer and the HTTP API."""
