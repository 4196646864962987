"""A compiler for compute plans: YAML in; live workbooks, pages and data out."""

__version__ = "0.1.0"
