"""Serves a book's site during editing, rebuilds it on each change, and shows errors in the page."""
