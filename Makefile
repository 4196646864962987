# make site, make test, make check, make proof, make bench: each installs what it needs into .venv,
# make editors into .editors
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# a test process for each core, two at the most: LibreOffice and Chromium are heavy
WORKERS ?= 2

# what an editor runs, for tests/editors; of npm, where the rest is of Python
SERVER := yaml-language-server@1.25.0
EDITORS := .editors

.PHONY: site test proof check bench editors format clean
.DEFAULT_GOAL := site

$(VENV)/.site: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "scalesheet needs Python 3.11 or later; name one: make PYTHON=python3.12"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml $(VENV)/.site
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

site: $(VENV)/.site
	$(BIN)/scalesheet build

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup

# every edit of every plan, whatever the ledger of the proof holds; writes the ledger
proof: $(VENV)/.dev
	SCALESHEET_PROOF=all $(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup tests/proof

check: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

editors: $(EDITORS)/$(SERVER)

$(EDITORS)/$(SERVER):
	@command -v npm >/dev/null || { echo "npm is missing; install node with npm"; exit 1; }
	npm install --prefix $(EDITORS) --no-save --no-package-lock --ignore-scripts --no-audit --no-fund \
	  --loglevel=error --fetch-retries=1 $(SERVER)
	@touch $@

bench: $(VENV)/.dev
	$(BIN)/python -m benchmarks

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf build docs/book .mypy_cache .pytest_cache .ruff_cache .hypothesis
