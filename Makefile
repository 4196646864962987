# make site, make test, make measure, make proof, make hostile, make check, make bench: each
# installs what it needs into .venv, make editors into .editors, make locked what make site needs,
# by the lock
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# test processes: one more than two cores, since a worker waits while Chromium or LibreOffice
# computes; each further one reads the shipped book once more
WORKERS ?= 3
# what `make test` and `make weekly` run: everything, unless folders or files are named
TESTS ?=

# what an editor runs, for tests/editors; of npm, where the rest is of Python
SERVER := yaml-language-server@1.25.0
EDITORS := .editors

# every version that the site is published with, and that runs beside a token that may write
LOCK := requirements/site.txt
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: site locked lock test weekly golden golden-strict golden-update golden-base measure proof ledger hostile check \
  bench editors format clean
.DEFAULT_GOAL := site

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "scalesheet needs Python 3.11 or later; name one: make PYTHON=python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.site: pyproject.toml | $(BIN)/python
	$(PIP) --editable .
	@touch $@

# No package is built here: what builds one would not be held to a hash.
locked: | $(BIN)/python
	$(PIP) --require-hashes --only-binary :all: --requirement $(LOCK)
	$(PIP) --no-deps --no-build-isolation --editable .
	@touch $(VENV)/.site

lock:
	@command -v uv >/dev/null || { echo "uv is missing; it writes the lock"; exit 1; }
	echo 'setuptools>=77' | uv pip compile pyproject.toml - --upgrade --universal \
	  --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --quiet \
	  --custom-compile-command 'make lock' --output-file $(LOCK)

$(VENV)/.dev: pyproject.toml $(VENV)/.site
	$(PIP) --editable '.[dev]'
	@touch $@

site: $(VENV)/.site
	$(BIN)/scalesheet build

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n $(WORKERS) --ignore tests/measure $(TESTS)

# those of `make test`, with all their cases, and those marked weekly; before a release, too
weekly: $(VENV)/.dev
	SCALESHEET_THOROUGH=1 $(BIN)/python -m pytest -n $(WORKERS) --ignore tests/measure $(TESTS)

# every output of the shipped book, compared with the digests in tests/golden/golden.tsv
GOLDEN := tests/golden/outputs.py
golden: $(VENV)/.site
	$(BIN)/python $(GOLDEN)

golden-strict: $(VENV)/.site
	$(BIN)/python $(GOLDEN) --strict

golden-update: $(VENV)/.site
	$(BIN)/python $(GOLDEN) --update

# the texts of another commit, so that `make golden` can show what differs
BASE ?= main
TREE := $(CURDIR)/report/golden/tree
golden-base: $(VENV)/.site
	git worktree remove --force $(TREE) 2>/dev/null || true
	git worktree add --quiet --detach $(TREE) $(BASE)
	status=0; PYTHONPATH=$(TREE)/generator $(BIN)/python $(TREE)/$(GOLDEN) \
	  --out $(CURDIR)/report/golden/base || status=$$?; \
	  git worktree remove --force $(TREE); exit $$status

# real steps in PyTorch
measure: $(VENV)/.dev
	$(BIN)/python -m pytest -n $(WORKERS) tests/measure

hostile: $(VENV)/.dev
	WORKERS=$(WORKERS) .ci/hostile

# every edit of every plan, whatever the ledger of the proof holds; writes the ledger
proof: $(VENV)/.dev
	SCALESHEET_PROOF=all $(BIN)/python -m pytest -n $(WORKERS) tests/proof

# every edit of what the ledger lacks; adds that to the ledger
ledger: $(VENV)/.dev
	SCALESHEET_PROOF=lacking $(BIN)/python -m pytest -n $(WORKERS) tests/proof

check: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	.ci/wording
	$(BIN)/python .ci/prose

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
