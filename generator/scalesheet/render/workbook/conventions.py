"""The texts on About about protection, programs, and the conventions of such spreadsheets.

The conventions are FAST and ICAEW's twenty principles, with this workbook's exceptions.
"""

from __future__ import annotations

PROTECTION = (
    "Cells with formulas are protected, without a password. Yellow cells, notes, and the "
    "sheets Changes and Actuals stay free.",
    "To lift the protection of a sheet, in Excel choose Review > Unprotect Sheet, in LibreOffice "
    "Tools > Protect Sheet, in Google Sheets Data > Protect sheets and ranges. A cell cannot lift "
    "it: that takes a macro, and this workbook has none.",
    "Checks still notices what was changed: formulas that became numbers, formulas that were "
    "edited, rows that were added, deleted or put into another order.",
)
PROGRAMS = (
    "LibreOffice 7.4 recalculates every cell of this workbook when it is built, and gets the same "
    "numbers. Excel and Google Sheets were not tested; with two exceptions, formulas use "
    "only functions that they share with LibreOffice.",
    "The exceptions are ISFORMULA and FORMULATEXT, on Checks only, which exist from Excel 2013 on. "
    "Where a program lacks them or uses other names for functions, Checks says 'not seen', and "
    "edits "
    "of formulas go unnoticed. An edit that keeps the length of a formula is never noticed.",
)
CONVENTIONS = (
    "One formula along a column of a table, or along a line where cases stand side by side. "
    "Exception: a row whose plan states a number or a formula of its own.",
    "No numbers inside formulas: they are named on Inputs or Units. Exceptions: 0 and 1, and pure "
    "numbers that the plan's own formula states, such as the 6 in 6 * parameters * tokens.",
    "No references by position: a row is found by its id, an input by its name. Exception: "
    "formulas of the workbook about itself (Summary, Sensitivity, Checks, Changes, and grids that "
    "draw a table).",
    "Inputs are separate from calculation and results. Exception: numbers that a plan states "
    "for the rows "
    "of a table stand in the table, in yellow.",
    "No array formulas, and at most six nested functions. Exception: the lengths of "
    "formulas, on Checks.",
    "Checks on a sheet of their own, with one verdict; a log of changes on Changes; sources, units "
    "and notes beside the numbers.",
)
