"""catalogue: a page for each thing of the catalogue, and what was stated of it before."""
