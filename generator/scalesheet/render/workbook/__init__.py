"""Renders a plan as an Excel workbook in which every derived cell is a live formula.

Each formula is stored with the value that the evaluator gave it, so previews and readers that do
not compute show the same numbers. The same plan gives the same bytes.
"""
