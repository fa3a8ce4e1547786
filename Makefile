PYTHON ?= python3
BIN := .venv/bin
QUERY ?= which files differ between the tree and the index

.PHONY: index test lint clean

## Index this very repository and search it.
index: .venv/installed
	$(BIN)/feeder sync
	$(BIN)/feeder search -n 3 "$(QUERY)"

## All that CI runs: lint, types, layers, tests.
test: lint .venv/node
	$(BIN)/python -m pytest -q -n auto

lint: .venv/dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

.venv/pip:
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --upgrade "pip>=25.1"
	touch $@

.venv/installed: .venv/pip pyproject.toml
	$(BIN)/pip install --quiet --editable ".[local]"
	touch $@

.venv/dev: .venv/installed
	$(BIN)/pip install --quiet --group dev
	touch $@

# the tests' D1 is workerd, which comes with miniflare
.venv/node: .venv/pip package-lock.json
	npm ci --silent --no-audit --no-fund
	touch $@

clean:
	rm -rf .venv node_modules
