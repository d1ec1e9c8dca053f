# Needs make and Python 3.11 or newer; everything else goes into .venv.

VENV     := .venv
BIN      := $(VENV)/bin
STAMP    := $(VENV)/.setup-done
PYTHON   ?=
JOBS     ?= auto
# A worker that has no tests left takes some of another's: the slow ones are not spread evenly.
SHARED   := -n $(JOBS) --dist worksteal
FUZZ     ?= 20
HOURS    ?= 0
SEED     ?=
SEEDS    ?= 10000

# Where texts are compared with golden files.
GOLDENS  := tests/errors tests/globe tests/testing tests/scripts tests/cli tests/docs tests/schema tests/xml \
            $(addprefix tests/xquery/test_,errors.py failing.py hostile.py) \
            $(addprefix tests/session/test_,bad_input.py corrected_input.py xml.py) \
            $(addprefix tests/run/test_,other_checkpoints.py error_texts.py)

RECENT   := import sys; sys.exit(sys.version_info < (3, 11))
PYTEST   := $(BIN)/pytest -q
PIP      := $(BIN)/python -m pip --disable-pip-version-check --no-input --quiet --quiet

# Tests start many processes: without byte code on disk each of them compiles all modules again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup demo test test-pythons coverage lint check golden fuzz bench bench-peers bench-cluster bench-scale bench-sharing bench-bmj bench-start bench-xml fuzz-globe demo-globe kill-globe bench-globe format clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup: $(STAMP) ## create .venv and install the pinned versions, if they are missing or changed
	@echo "$(VENV) is ready"

demo: $(STAMP) ## run the Linear Road example on a local Spark
	@$(BIN)/slackwater demo

test: $(STAMP) ## run all tests, doctests included, on all cores
	@$(PYTEST) $(SHARED)

test-pythons: ## run the fast tests with Python 3.12 and 3.13, as far as installed, each in its own environment
	@for minor in 12 13; do \
	  if python3.$$minor -c '' 2>/dev/null; then \
	    echo "Python 3.$$minor"; \
	    $(MAKE) --no-print-directory setup VENV=.venv-3.$$minor PYTHON=python3.$$minor || exit 1; \
	    .venv-3.$$minor/bin/pytest -q $(SHARED) -m "not slow" || exit 1; \
	  else echo "Python 3.$$minor is not installed: skipped"; fi; \
	done

coverage: $(STAMP) ## measure the coverage of the tests: htmlcov/index.html, and a table
	@$(PYTEST) $(SHARED) --cov=slackwater --cov-report=html --cov-report=term:skip-covered

lint: $(STAMP) ## format, lint, types and imports, without tests
	@echo "format";  $(BIN)/ruff format --check --quiet --output-format concise . || { echo "run: make format"; exit 1; }
	@echo "lint";    $(BIN)/ruff check --quiet .
	@echo "types";   $(BIN)/mypy --no-error-summary
	@echo "imports"; out=$$($(BIN)/lint-imports 2>&1) || { echo "$$out"; exit 1; }

check: lint ## before a commit: lint and the fast tests
	@echo "tests";   $(PYTEST) $(SHARED) -m "not slow"

golden: $(STAMP) ## rewrite the golden files of the error texts; review them as a diff
	@SLACKWATER_GOLDEN=1 $(PYTEST) $(GOLDENS)
	@git --no-pager diff --stat -- tests docs

fuzz: $(STAMP) ## run the random tests with new draws (FUZZ=20 times the examples, HOURS=8 of rounds)
	@$(BIN)/python tests/fuzz/campaign.py --times $(FUZZ) --hours $(HOURS) --jobs $(JOBS) $(if $(SEED),--seed $(SEED))

fuzz-globe: $(STAMP) ## run random networks of peers with faults (SEEDS=10000); a failing seed is printed
	@$(BIN)/python -m slackwater.globe.simulate --seeds $(SEEDS) --jobs 2

demo-globe: $(STAMP) ## run chapter 2 of the thesis as processes: nine peers, four subscriptions, a picture
	@$(BIN)/python -m benchmarks.globe.demo

kill-globe: $(STAMP) ## kill peers of that example fifty times, and ten on the way for good; no subscriber loses or doubles an item
	@$(BIN)/python -m benchmarks.globe.deaths --times 50 $(if $(SEED),--seed $(SEED))
	@$(BIN)/python -m benchmarks.globe.deaths --times 10 --for-good $(if $(SEED),--seed $(SEED))

bench-globe: $(STAMP) ## compare data shipping, query shipping and stream sharing: bytes by link, CPU by peer
	@$(BIN)/python -m benchmarks.globe.bench $(BENCH)

bench: $(STAMP) ## compare this engine with Spark itself, Nexmark with Flink, too; large states (BENCH=--quick)
	@$(BIN)/python -m benchmarks state $(BENCH)
	@$(BIN)/python -m benchmarks spark $(BENCH)
	@$(BIN)/python -m benchmarks nexmark $(BENCH)

bench-peers: $(STAMP) ## compare it with PyFlink, Pathway and Bytewax, each in its own environment
	@$(BIN)/python -m benchmarks peers $(BENCH)

bench-cluster: $(STAMP) ## compare the driver with workers, local and on a cluster of processes
	@$(BIN)/python -m benchmarks cluster --events 16000000 --limit 60 $(BENCH)

bench-scale: $(STAMP) ## measure what limits a cluster: costs of an epoch, a task and an event, and a model
	@$(BIN)/python -m benchmarks scale $(BENCH)

bench-sharing: $(STAMP) ## compare overlapping queries in one session with the same one by one (BENCH=--quick for a short run)
	@$(BIN)/python -m benchmarks.sharing $(BENCH)
	@$(BIN)/python -m benchmarks.sharing_spark $(BENCH)

bench-bmj: $(STAMP) ## compare best-match joins with DuckDB, nested loops and as-of joins (BENCH=--quick for a short run)
	@$(BIN)/python -m benchmarks.bestmatch $(BENCH)

bench-start: $(STAMP) ## measure the start-up cost: a run of four rows, Java included
	@$(BIN)/python -m benchmarks.start

bench-xml: $(STAMP) ## compare XQuery with SaxonC (BENCH='--size 5' for a short run)
	@$(BIN)/python -m benchmarks.xml $(BENCH)

format: $(STAMP) ## format the code and apply fixes of ruff
	@$(BIN)/ruff check --fix-only --quiet .
	@$(BIN)/ruff format .

clean: ## remove caches and build products; .venv stays
	@rm -rf build dist htmlcov .coverage .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	@find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

# What the builds need (ours, and that of PySpark, which PyPI has as a source package only) is installed first
# and used as it is (no build isolation), so that it is pinned like everything else.
$(STAMP): pyproject.toml constraints.txt src/slackwater/language/xquery/grammar.lark | $(BIN)/python
	@echo "installing the pinned versions into $(VENV)"
	@$(PIP) install -c constraints.txt hatchling editables lark setuptools wheel
	@$(PIP) install -c constraints.txt --no-build-isolation -e '.[dev]'
	@touch $@

$(BIN)/python:
	@python='$(PYTHON)'; \
	if [ -z "$$python" ]; then \
	  for candidate in python3.11 python3; do \
	    if $$candidate -c '$(RECENT)' 2>/dev/null; then python=$$candidate; break; fi; \
	  done; \
	  if [ -z "$$python" ]; then \
	    echo "Slackwater needs Python 3.11 or newer: found neither python3.11 nor a recent python3." >&2; \
	    echo "Install one, or name it: make setup PYTHON=path/to/python" >&2; exit 1; \
	  fi; \
	elif ! $$python -c '$(RECENT)'; then \
	  echo "PYTHON=$$python is not a Python 3.11 or newer." >&2; exit 1; \
	fi; \
	echo "creating $(VENV) with $$($$python --version)"; \
	$$python -m venv $(VENV)
