# make demo      compares five models that grade wine
# make test      the whole test suite
# make test-minimum  the same with the lowest versions of the dependencies
# make test-lowest   the part of it that reads frames and files, in two minutes
# make check     style and types
# make docs      the documentation, in docs/_build/html
# make bench     speed, as ratios in one run
# make coverage  simulates how often 95% intervals contain the true value
# Each creates what it needs in .venv.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test test-minimum test-lowest check docs bench coverage clean

demo: .venv/demo
	$(BIN)/ordeval compare examples/wine.csv --truth quality --labels 3..8 --seed 0 \
	  --pred forest --pred logistic --pred neighbours --pred ridge_rounded --pred always_5
	$(BIN)/ordeval report examples/wine.csv --truth quality --labels 3..8 --seed 0 \
	  --pred forest --pred logistic --pred neighbours --pred ridge_rounded --pred always_5 \
	  --title "Which model grades red wine best?" -o report.html

test: .venv/test
	$(BIN)/python -m pytest -n auto --dist loadfile --max-worker-restart 2

# The lowest versions that pyproject.toml allows, chosen by uv. Old releases use what newer ones
# deprecate; pictures, pages and type checkers are of newer ones. Spark 3.5 has no Connect server, and
# the twine that fits an old Rich does not know the metadata of today. Nothing that is absent is skipped.
MINIMUM := .venv/minimum/bin
LOWEST := $(MINIMUM)/pip install --quiet --disable-pip-version-check -c .venv/minimum/lowest.txt
TEST_LOWEST := CI=true $(MINIMUM)/python -m pytest -n auto --dist loadfile --max-worker-restart 2 \
  -W ignore::DeprecationWarning
test-minimum: .venv/lowest .venv/debian
	$(LOWEST) torch==2.13.0 markdown-it-py -e ".[test,integrations]"
	$(MINIMUM)/pip install --quiet --disable-pip-version-check --no-deps irrCAC==0.4.4 dcurves==1.1.7
	$(TEST_LOWEST) --ignore tests/plots/test_images.py --ignore tests/docs --ignore tests/laws/test_typing.py \
	  --deselect tests/project/test_package.py::test_an_index_would_accept_both \
	  --deselect tests/data/test_engines.py::test_spark_connect

# Readers of every format, joins, long tables and the command: what DuckDB, narwhals, pandas and PyArrow
# change from one release to the next.
PART := tests/cli/test_compare_command.py tests/cli/test_joined_command.py \
  tests/cli/test_outputs_command.py tests/cli/test_reading_options.py \
  tests/cli/test_score_command.py tests/cli/test_several_files.py \
  tests/data/test_column_names.py tests/data/test_files.py tests/data/test_forms.py \
  tests/data/test_frames.py tests/data/test_hidden_values.py tests/data/test_joining.py \
  tests/data/test_ratings.py tests/data/test_strange_files.py \
  tests/evaluate/test_compare_frames.py tests/evaluate/test_predictions.py
test-lowest: .venv/lowest
	$(TEST_LOWEST) $(PART)

check: .venv/test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Strict: a warning, a broken link or a page that loads from elsewhere is an error.
docs: .venv/test
	$(BIN)/python docs/_tools/generate.py
	$(BIN)/python -m sphinx -W --keep-going -q -E -d docs/_build/doctrees docs docs/_build/html
	$(BIN)/python docs/_tools/links.py docs/_build/html

# All of them run even if one misses a bound; the last one ends with the claims.
BENCHMARKS := core frames forecasts inference raters meta cutpoints engines peers
bench: .venv/bench
	@missed=; for name in $(BENCHMARKS); do \
	  $(BIN)/python -m benchmarks.$$name || missed="$$missed $$name"; done; \
	test -z "$$missed" || { echo "bounds were missed in:$$missed"; exit 1; }

coverage: .venv/test
	$(BIN)/python -m benchmarks.coverage

clean:
	rm -rf .venv

# Debian ships Python without venv; its package adds it.
.venv/python:
	$(PYTHON) -m venv .venv || (apt-get update && apt-get install -y python3-venv && $(PYTHON) -m venv --clear .venv)
	touch $@

# Compiled once and for all: an interpreter that is told not to write bytecode would otherwise compile
# the package anew at every import.
COMPILE := $(BIN)/python -m compileall -q src/ordeval

.venv/demo: .venv/python pyproject.toml
	$(BIN)/pip install --quiet --disable-pip-version-check -e ".[report]"
	$(COMPILE)
	touch $@

# irrCAC, and lifelines that dcurves brings for survival alone, pin old releases of what they need; what
# is tested against works with the present ones.
.venv/test: .venv/python .venv/debian pyproject.toml
	$(BIN)/pip install --quiet --disable-pip-version-check torch==2.13.0 -e ".[dev]"
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps irrCAC==0.4.4 dcurves==1.1.7
	$(COMPILE)
	touch $@ .venv/demo

.venv/lowest: .venv/python pyproject.toml
	$(PYTHON) -m venv .venv/minimum
	$(MINIMUM)/pip install --quiet --disable-pip-version-check uv
	$(MINIMUM)/uv pip compile --quiet --python $(MINIMUM)/python --no-deps \
	  --resolution lowest-direct --extra all pyproject.toml -o .venv/minimum/lowest.txt
	$(LOWEST) -e ".[frames,files,report]" hypothesis polars pytest pytest-xdist
	touch $@

.venv/bench: .venv/test benchmarks/requirements.txt benchmarks/requirements-no-deps.txt
	$(BIN)/pip install --quiet --disable-pip-version-check -r benchmarks/requirements.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps -r benchmarks/requirements-no-deps.txt
	touch $@

# Spark needs Java; a real database and a real browser are tested against.
.venv/debian: .venv/python
	command -v java > /dev/null && ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 && \
	  command -v chromium > /dev/null && command -v chromedriver > /dev/null || \
	  (apt-get update && apt-get install -y --no-install-recommends default-jre-headless \
	  postgresql chromium chromium-driver)
	touch $@
