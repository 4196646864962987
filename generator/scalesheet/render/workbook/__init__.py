"""Renders a plan as an Excel workbook in which every derived cell is a live formula.

Each formula is stored with the evaluator's value, so previews and readers that do not compute show
the same numbers. The same plan gives the same bytes.
"""
