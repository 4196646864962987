"""catalogue: a page for each entry of the catalogue, with its earlier values."""
