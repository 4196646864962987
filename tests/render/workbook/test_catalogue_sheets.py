"""The catalogue's sheets are plain tables, which pandas reads directly."""

from __future__ import annotations

import openpyxl
import pandas as pd

from render.workbook.conftest import Made, ends


def test_pandas_reads_each_sheet_of_the_catalogue_with_numbers_and_days(made: Made) -> None:
    read, dates = 0, []
    for table in made.tables.values():
        place = made.layout.tables[table.name]
        if table.name in made.plan.tables:
            continue
        frame = pd.read_excel(made.path, sheet_name=place.sheet)
        assert list(frame[table.name]) == list(table.rows)
        for column in table.columns.values():
            for end in ends(column):
                name = column.name if end == "value" else f"{column.name}_{end}"
                reasons = made.results.tables[table.name][column.name].reasons
                # a reason may replace a number; a column without reasons has only numbers
                numeric = column.kind == "number" and not reasons
                assert not numeric or pd.api.types.is_numeric_dtype(frame[name].dtype), name
                read += numeric
            if column.kind == "date":
                dates.append(column.name)
                assert pd.api.types.is_datetime64_any_dtype(frame[column.name].dtype)
                says = [str(column.stated[row].value) for row in table.rows]
                assert list(frame[column.name].dt.strftime("%Y-%m-%d")) == says
    assert read > 3
    assert dates == ["released"]


def test_a_sheet_of_the_catalogue_is_a_table_with_filters_and_nothing_else(made: Made) -> None:
    written = openpyxl.load_workbook(made.path)
    (table,) = written["Hardware"].tables.values()
    assert table.autoFilter is not None
    place = made.layout.tables["hardware"]
    assert table.ref.startswith("A1:")
    assert written["Hardware"].max_row <= place.spacer + 1
    assert "hardware" not in written.defined_names
    columns = {row[2].value for row in written["Units"].iter_rows(min_row=5)}
    assert columns >= {"hardware.memory", "hardware.bandwidth", "speeds.hours"}
