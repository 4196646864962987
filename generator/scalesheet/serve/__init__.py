"""Living with a book: its site served, built again on each change, errors shown in the page."""
