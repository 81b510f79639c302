# make demo      compares five models that grade wine
# make test      the whole test suite
# make check     style and types
# make bench     speed, as ratios in one run
# make coverage  do 95 % intervals hold 95 % of the time?
# Each creates what it needs in .venv.

PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test check bench coverage clean

demo: .venv/demo
	$(BIN)/ordeval compare examples/wine.csv --truth quality --labels 3,4,5,6,7,8 --seed 0 \
	  --pred forest --pred logistic --pred neighbours --pred ridge_rounded --pred always_5
	$(BIN)/ordeval report examples/wine.csv --truth quality --labels 3,4,5,6,7,8 --seed 0 \
	  --pred forest --pred logistic --pred neighbours --pred ridge_rounded --pred always_5 \
	  --title "Which model grades red wine best?" --html report.html

test: .venv/test
	$(BIN)/python -m pytest -n auto

check: .venv/test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: .venv/test
	$(BIN)/python benchmarks/core.py
	$(BIN)/python benchmarks/inference.py
	$(BIN)/python benchmarks/engines.py
	$(BIN)/python benchmarks/meta.py
	$(BIN)/python benchmarks/cutpoints.py

coverage: .venv/test
	$(BIN)/python benchmarks/coverage.py

clean:
	rm -rf .venv

# Debian ships Python without venv; its package adds it.
.venv/python:
	$(PYTHON) -m venv .venv || (apt-get update && apt-get install -y python3-venv && $(PYTHON) -m venv --clear .venv)
	touch $@

.venv/demo: .venv/python pyproject.toml
	$(BIN)/pip install --quiet --disable-pip-version-check -e ".[report]"
	touch $@

# irrCAC pins old releases of its dependencies, and works with the present ones.
.venv/test: .venv/python .venv/debian pyproject.toml
	$(BIN)/pip install --quiet --disable-pip-version-check -e ".[dev]"
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps irrCAC==0.4.4
	touch $@ .venv/demo

# Spark needs Java; a real database and a real browser are tested against.
.venv/debian: .venv/python
	command -v java > /dev/null && ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 && \
	  command -v chromium > /dev/null && command -v chromedriver > /dev/null || \
	  (apt-get update && apt-get install -y --no-install-recommends default-jre-headless \
	  postgresql chromium chromium-driver)
	touch $@
