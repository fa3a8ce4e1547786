PYTHON ?= python3
BIN := .venv/bin
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 \
  --generate-hashes --custom-compile-command "make lock"
DOCUMENTS := $(BIN)/python -c "import tomllib; project = tomllib.load(open('pyproject.toml', 'rb')); \
  print(*project['project']['optional-dependencies']['documents'], sep='\n')"
# tests spend about a third of their time waiting for processes and servers
WORKERS := $(shell $(PYTHON) -c "import os; print((os.cpu_count() or 1) * 3 // 2)")
TESTS_FOLDER := $(shell .ci/tests_folder)
PYTEST := -m pytest -q -n $(WORKERS) --dist worksteal
IN_MEMORY := $(if $(TESTS_FOLDER),TMPDIR=$(TESTS_FOLDER))
# modules are compiled once, and not by each of the thousands of processes that tests start
export PYTHONDONTWRITEBYTECODE :=
QUERY ?= which files differ between the tree and the index

.PHONY: index check test test-bare browser lint style types worker-types languages worker worker-check \
  bench lock docs clean

## Index this repository and search it.
index: .venv/installed
	$(BIN)/feeder sync
	$(BIN)/feeder search -n 3 -g '!Makefile' "$(QUERY)"

## Before each commit, 90 s: lint, types, layers and all tests except those marked as slow.
check: lint
	$(IN_MEMORY) $(BIN)/python $(PYTEST) -m "not slow"

## Everything that CI runs: lint, types, layers, tests.
test: browser lint worker-check .venv/wheels .venv/clients
	$(IN_MEMORY) $(BIN)/python $(PYTEST)

## The same tests without the extras: those that need one are skipped, and say which.
test-bare: .venv/bare/dev .venv/node .venv/wheels .venv/clients
	WITHOUT_EXTRAS=yes $(IN_MEMORY) .venv/bare/bin/python $(PYTEST)

browser:
	.ci/browser

lint: types style worker-types

types: .venv/dev
	$(BIN)/mypy

style: .venv/dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports

worker-types: .venv/dev .venv/node
	mkdir -p worker/build
	$(BIN)/python -m feeder.edge.worker_data > worker/build/worker_data.json
	npx --offline tsc -p worker && npx --offline tsc -p worker/test

## Compile the committed grammar_queries.json and aliases.json: after a change of languages/.
languages: .venv/installed
	$(BIN)/python -m feeder.parse.languages languages src/feeder

## Build the committed worker.js and oauth.js in src/feeder/edge: after a change of worker/, or of SQL or constants in it.
worker: .venv/installed .venv/node
	node worker/build.mjs --python $(BIN)/python

## Check that the committed worker.js and oauth.js equal their sources.
worker-check: worker-types
	node worker/build.mjs --python $(BIN)/python --check

## Measure the speed against its targets: docs/benchmarks/speed.md, on a machine with nothing else to do.
bench: .venv/installed .venv/node
	$(BIN)/python -m bench --write docs/benchmarks/speed.md

.venv/pip:
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --upgrade "pip>=25.1"
	touch $@

.venv/installed: .venv/pip pyproject.toml
	$(BIN)/pip install --quiet --editable .
	touch $@

# by uv, which takes a fifth of pip's time, also because it compiles nothing that nobody imports
.venv/dev: .venv/installed
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip install --quiet --python $(BIN)/python \
	  --editable ".[cloudflare,documents,local,serve,share]" --group dev
	touch $@

# the program without extras, in a separate environment
.venv/bare/dev: pyproject.toml
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/pip install --quiet --upgrade "pip>=25.1"
	$(@D)/bin/pip install --quiet --editable . --group dev
	touch $@

# the tests run D1 in workerd, which comes with miniflare
.venv/node: .venv/pip package-lock.json
	npm ci --silent --no-audit --no-fund
	touch $@

# the tests install the action and the release from here, without a network
.venv/wheels: .venv/pip requirements/local.txt requirements/documents.txt requirements/build.txt
	$(BIN)/pip download --quiet --only-binary :all: --require-hashes --no-deps \
	  --dest $@ --requirement requirements/local.txt --requirement requirements/documents.txt \
	  --requirement requirements/build.txt
	touch $@

# the MCP clients of the tests, both major versions of the Python SDK, each in a separate environment
.venv/clients: .venv/dev requirements/mcp-1.txt requirements/mcp-2.txt
	for major in 1 2; do $(BIN)/uv venv --quiet --clear $@/$$major && \
	  $(BIN)/uv pip install --quiet --python $@/$$major --require-hashes \
	  --requirement requirements/mcp-$$major.txt || exit; done
	touch $@

## What the action installs and the release is built with, pinned with hashes: after a change of the dependencies.
lock: .venv/dev
	$(LOCK) pyproject.toml --output-file requirements/cloudflare.txt
	$(LOCK) pyproject.toml --extra local --extra share --output-file requirements/local.txt
	$(DOCUMENTS) | $(LOCK) - --output-file requirements/documents.txt
	$(LOCK) --group build --output-file requirements/build.txt
	echo mcp==1.30.0 | $(LOCK) - --output-file requirements/mcp-1.txt
	echo mcp==2.3.0 | $(LOCK) - --output-file requirements/mcp-2.txt

## Generate what docs/ takes from the program: tables, schema.sql, and the picture from the measurements.
docs: .venv/dev languages
	$(BIN)/python docs/tables.py
	$(BIN)/python docs/schema.py
	$(BIN)/python docs/first_index.py

clean:
	rm -rf .venv node_modules
