# make demo | test | lint | bench ARTICLES=folder. Each sets up first; a second run does not
# install again.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LATEX := texlive-latex-base texlive-latex-recommended texlive-latex-extra texlive-fonts-recommended \
         texlive-science
STAMP := $(VENV)/.installed
ARTICLES ?= examples/articles

.PHONY: setup demo test lint bench

setup: $(STAMP) latex

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt torch==2.13.0
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@

.PHONY: latex
latex:
	@command -v pdflatex >/dev/null || { \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
	      apt-get install -y -qq --no-install-recommends $(LATEX) >/dev/null; \
	  else echo "Install a LaTeX compiler: apt-get install $(LATEX)"; fi; }

demo: setup
	$(BIN)/topiceq build examples/articles -o demo/corpus --table
	$(BIN)/topiceq stats demo/corpus --table

test: setup lint
	$(BIN)/pytest -n 2

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: setup
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[bench]'
	$(BIN)/topiceq extract $(ARTICLES) -o demo/pairs
	$(BIN)/python benchmarks/extract.py $(ARTICLES) demo/pairs --results demo/extract.json
