# make demo | test | lint | fuzz | bench ARTICLES=folder. Each sets up first; a second run does not
# install again.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LATEX := texlive-latex-base texlive-latex-recommended texlive-latex-extra texlive-fonts-recommended \
         texlive-science
BROWSER := chromium fonts-dejavu-core fonts-stix
STAMP := $(VENV)/.installed
ARTICLES ?= examples/articles

.PHONY: setup demo test lint bench fuzz lock locked

setup: $(STAMP) latex

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt torch==2.13.0
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@

.PHONY: latex browser
latex:
	@command -v pdflatex >/dev/null || $(call install,a LaTeX compiler,$(LATEX))

browser:
	@command -v chromium >/dev/null || $(call install,a browser,$(BROWSER))

install = { if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
      apt-get install -y -qq --no-install-recommends $(2) >/dev/null; \
  else echo "Install $(1): apt-get install $(2)"; fi; }

demo: $(STAMP)
	$(BIN)/topiceq demo -o demo

test: setup browser lint
	$(BIN)/pytest -n 2

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# requirements.lock: all but PyTorch, whose builds for one machine or another are each their own, and
# what only its build for GPUs needs
GPU := torch triton cuda-bindings cuda-pathfinder cuda-toolkit $(addprefix nvidia-,cublas cuda-cupti \
       cuda-nvrtc cuda-runtime cudnn-cu13 cufft cufile curand cusolver cusparse cusparselt-cu13 \
       nccl-cu13 nvjitlink nvshmem-cu13 nvtx)

lock: $(STAMP)  # after a change of constraints.txt
	$(BIN)/pip install --quiet --disable-pip-version-check uv==0.13.8
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --all-extras --generate-hashes \
	  --no-header $(addprefix --no-emit-package ,$(GPU)) -c constraints.txt pyproject.toml \
	  -o requirements.lock

locked:  # in place of setup: nothing is installed whose hash is not in requirements.lock
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps torch==2.13.0
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --require-hashes \
	  -r requirements.lock
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps -e .
	touch $(STAMP)

fuzz: $(STAMP)  # a short part of it is in the tests
	$(BIN)/python -m research fuzz $(ARTICLES) --count 1000 --results demo --keep demo/fuzz
	$(BIN)/python -m research patterns --results demo

bench: setup
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[bench]'
	$(BIN)/topiceq extract $(ARTICLES) -o demo/pairs
	$(BIN)/python -m research extract $(ARTICLES) demo/pairs --results demo
