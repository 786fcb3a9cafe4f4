# Everything runs in .venv, which the targets make and fill. `make demo` and `make test` are all a new machine needs.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo test lint types check docs bench format clean

demo: .venv/.runs
	@echo "aune score coref examples/coref/key.conll examples/coref/strings.conll examples/coref/recency.conll examples/coref/neural.conll"
	@$(BIN)/aune score coref examples/coref/key.conll examples/coref/strings.conll examples/coref/recency.conll examples/coref/neural.conll

test: lint types check

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

format: .venv/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

.venv/.runs: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(PIP) --upgrade pip
	$(PIP) --editable .
	@touch $@

.venv/.dev: .venv/.runs
	$(PIP) --group dev --group peers
	@touch $@

clean:
	rm -rf .venv build dist site .mypy_cache .pytest_cache .ruff_cache .hypothesis
