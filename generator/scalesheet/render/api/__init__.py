"""The data API: results and catalogue as JSON and CSV, each number with unit, kind and source."""

from scalesheet.render.api.plans import as_csv, plan_json
from scalesheet.render.api.text import as_json

__all__ = ["as_csv", "as_json", "plan_json"]
