# Everything runs in .venv, which the targets make and fill. `make demo` and `make test` are all a new machine needs.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo test browser node lint types pages check docs bench fuzz format clean

demo: .venv/.figures
	$(BIN)/python examples/demo.py

test: browser node lint types pages check

# The report is tested in a real browser. Where there is none and packages can be installed, one is; elsewhere its tests skip.
browser:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null \
	|| { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
	&& apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >/dev/null; } \
	|| echo "no browser found and none installed: the tests of the report will skip"

# The modules of the pages are type-checked by tsc, and the pages tested with axe: npm brings both.
node:
	@command -v npm >/dev/null \
	|| { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
	&& apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends nodejs npm >/dev/null; } \
	|| echo "no npm found and none installed: the types of the pages are not checked"

node_modules/.ready: package-lock.json
	npm ci --silent
	@touch $@

pages: node
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory node_modules/.ready && node_modules/.bin/tsc --project .; fi

lint: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/.dev
	$(BIN)/mypy

check: .venv/.dev
	$(BIN)/pytest -n 2

docs: .venv/.dev
	$(BIN)/python docs/pages.py
	$(BIN)/zensical build --clean --strict

bench: .venv/.dev
	$(BIN)/python -m benchmarks

# Damaged files through every reader, writer and splicer; what fails is kept in tests/fuzz/found.
SECONDS ?= 60
fuzz: .venv/.dev
	$(BIN)/python tests/fuzz $(SECONDS)

format: .venv/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

.venv/.runs: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(PIP) --upgrade pip
	$(PIP) --editable .
	@touch $@

.venv/.figures: .venv/.runs
	$(PIP) --editable '.[figures]'
	@touch $@

.venv/.dev: .venv/.runs
	$(PIP) --group dev --group peers
	@touch $@

clean:
	rm -rf .venv .cache node_modules build dist site .mypy_cache .pytest_cache .ruff_cache .hypothesis
