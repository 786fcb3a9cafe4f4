# Everything runs in .venv, which the targets make and fill. `make demo` and `make test` are all a new machine needs.
PYTHON ?= python3
BIN := .venv/bin
# The extras.
LOCKED := atene cluster figures parquet phonemes remote server whisper
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation

.PHONY: demo serve test browser node modules postgresql bubblewrap lint types pages check quick docs bench soak fuzz lock licences floors recipes release format clean

demo: .venv/.figures
	$(BIN)/aune demo build/demo

# The workbench on texts of our own; the work is kept in build/workbench.
serve: .venv/.server
	$(BIN)/aune serve examples/workbench examples/coref/key.conll examples/entities/key.ne --site build/workbench

# What needs no test runs beside the first tests, which wait for servers and browsers.
test: browser modules postgresql bubblewrap .venv/.dev
	@$(MAKE) --no-print-directory --jobs 2 lint types check

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

# The server is tested on PostgreSQL too, a private one in a temporary folder.
postgresql:
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null \
	|| { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
	&& apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql >/dev/null; } \
	|| echo "no PostgreSQL found and none installed: the tests of the server on it will skip"

# The scorers of organisers run without network and see nothing of the machine.
bubblewrap:
	@command -v bwrap >/dev/null \
	|| { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
	&& apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends bubblewrap >/dev/null; } \
	|| echo "no bubblewrap found and none installed: the tests of scorers in it will skip"

node_modules/.ready: package-lock.json
	npm ci --silent
	@touch $@

modules: node
	@! command -v npm >/dev/null || $(MAKE) --no-print-directory node_modules/.ready

# The types of the pages alone, which are one of the tests too.
pages: modules
	node_modules/.bin/tsc --project .

lint: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python tests/template_layout.py --check

types: .venv/.dev
	$(BIN)/mypy

# Which tests stay with one process is in tests/conftest.py. A third of the time they wait for servers and browsers:
# four processes keep two cores busy. The many processes that tests start share what was compiled.
SUITE := -n 4 --no-loadscope-reorder
check: export PYTHONDONTWRITEBYTECODE =
check: modules .venv/.dev
	$(BIN)/pytest $(SUITE)

# While one works: lint, types, and the tests that need no browser, server or database, in under two minutes on two cores.
# It leaves out pages, the workbench, campaigns, the server, reports, commands, rivals, the fuzzer, and the tests of formats.
QUICK := tests/test_house.py tests/test_architecture.py tests/contract tests/numeric tests/syntax tests/typologies \
	tests/reading tests/results tests/alignment tests/statistics tests/tasks
SLOW := reading writing plain
quick: .venv/.dev
	@$(MAKE) --no-print-directory --jobs 2 lint types
	$(BIN)/pytest -n 2 --no-loadscope-reorder $(QUICK) --ignore-glob='*/formats/*' $(SLOW:%=--ignore=tests/tasks/test_%.py)

# zensical keeps files in .cache, where the environments of other targets are: its --clean would remove these too.
docs: .venv/.dev
	$(BIN)/python docs/pages.py
	rm -rf site
	mkdir -p .cache
	find .cache -maxdepth 1 -type f -delete
	$(BIN)/zensical build --strict

bench: .venv/.dev
	$(BIN)/python -m benchmarks

# The server under load, and killed again and again.
soak: .venv/.dev
	$(BIN)/python -m benchmarks.soak
	$(BIN)/python -m benchmarks.campaign_soak

# Damaged files of every kind, bad values in every command, bad requests to every address (on PostgreSQL too, where it is),
# every law of Hypothesis about examples of the round's seed, and hostile inputs; what fails of a format is kept in tests/fuzz/found.
SECONDS ?= 60
fuzz: .venv/.dev
	$(BIN)/python tests/fuzz $(SECONDS) $(SEED)

# The suite with every package at the lowest version that pyproject.toml allows: `make floors TESTS=tests/reading` for a part of it.
TESTS ?= tests
floors: .cache/lock/bin/uv .venv/.dev
	.cache/lock/bin/uv pip compile --quiet --no-header --no-annotate --no-deps --resolution lowest-direct \
	pyproject.toml $(patsubst %,--extra %,$(LOCKED)) -o .cache/floors.txt
	.cache/lock/bin/uv venv --quiet --allow-existing --python $(PYTHON) .cache/floors
	.cache/lock/bin/uv pip install --quiet --compile-bytecode --python .cache/floors --group dev --group peers --requirement .cache/floors.txt
	.cache/lock/bin/uv pip install --quiet --python .cache/floors --no-deps --editable .
	.cache/floors/bin/python -W ignore tests/digits.py > .cache/digits.floors
	$(BIN)/python -W ignore tests/digits.py | diff .cache/digits.floors -
	.cache/floors/bin/python -m pytest $(SUITE) $(TESTS)

# The recipes of the documentation, with torch, Lightning, transformers, evaluate and datasets: an environment of their own.
recipes: .venv/.dev
	test -x .cache/recipes/bin/python || $(PYTHON) -m venv .cache/recipes
	.cache/recipes/bin/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	.cache/recipes/bin/python -m pip install --quiet --disable-pip-version-check torch==2.13.0
	.cache/recipes/bin/python -m pip install --quiet --disable-pip-version-check --editable . --group recipes
	.cache/recipes/bin/python docs/recipes/run.py --all
	AUNE_RECIPES=1 $(BIN)/pytest -n 0 tests/test_readme.py

# Wheel and source distribution, built twice and compared, checked, and tried in an empty environment: docs/releasing.md.
QUIET := -m pip install --quiet --disable-pip-version-check
release: .venv/.runs
	$(BIN)/python docs/release.py
	test -x .cache/release/bin/python || $(PYTHON) -m venv .cache/release
	.cache/release/bin/python $(QUIET) twine
	.cache/release/bin/python -m twine check --strict dist/*.whl dist/*.tar.gz
	rm -rf .cache/tried
	$(PYTHON) -m venv .cache/tried
	.cache/tried/bin/python $(QUIET) --require-hashes --requirement locks/run.txt
	.cache/tried/bin/python $(QUIET) --no-deps --no-index dist/*.whl
	cd .cache/tried && bin/aune demo >/dev/null && bin/aune examples \
	&& bin/aune score coref examples/coref/key.conll examples/coref/neural.conll --layout paper --ci -o table.tex \
	&& bin/aune report coref examples/coref/key.conll examples/coref/neural.conll -o report.html
	cd dist && sha256sum --check SHA256SUMS

format: .venv/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/python tests/template_layout.py

# Packages of others come first, each with its hash; then this one, which takes what is there.
.venv/.runs: locks/build.txt locks/run.txt pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(PIP) --require-hashes --requirement locks/build.txt
	$(PIP) --require-hashes --requirement locks/run.txt
	$(PIP) --no-deps --editable .
	@touch $@

.venv/.figures: .venv/.runs locks/figures.txt
	$(PIP) --require-hashes --requirement locks/figures.txt
	@touch $@

.venv/.server: .venv/.runs locks/server.txt
	$(PIP) --require-hashes --requirement locks/server.txt
	@touch $@

# pip compiles one module after the other, compileall in as many processes as there are cores.
.venv/.dev: .venv/.runs locks/dev.txt
	$(PIP) --no-compile --require-hashes --requirement locks/dev.txt
	$(BIN)/python -m compileall -q -j 0 .venv/lib
	@touch $@

# After a change of the packages in pyproject.toml: every version that still fits stays (UPGRADE=--upgrade takes the newest).
COMPILE = .cache/lock/bin/uv pip compile --quiet --universal --python-version 3.11.5 --generate-hashes --no-header \
	--no-annotate --no-emit-index-url $(UPGRADE)
lock: .cache/lock/bin/uv
	$(COMPILE) pyproject.toml $(patsubst %,--extra %,$(LOCKED)) --group build --group dev --group peers -o locks/dev.txt
	$(COMPILE) --constraint locks/dev.txt --group build -o locks/build.txt
	$(COMPILE) --constraint locks/dev.txt pyproject.toml -o locks/run.txt
	$(COMPILE) --constraint locks/dev.txt pyproject.toml --extra figures -o locks/figures.txt
	$(COMPILE) --constraint locks/dev.txt pyproject.toml --extra server -o locks/server.txt
	$(MAKE) licences

.cache/lock/bin/uv:
	$(PYTHON) -m venv .cache/lock
	.cache/lock/bin/python -m pip install --quiet --disable-pip-version-check uv

licences: .venv/.dev
	$(BIN)/python docs/licences.py

clean:
	rm -rf .venv .cache node_modules build dist site .mypy_cache .pytest_cache .ruff_cache .hypothesis
