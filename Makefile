# Everything a newcomer needs: Python 3.11 or newer, and make.
#
#   make demo         index the example desk's folder, ask it a few questions, offline
#   make test         all tests
#   make lint         ruff and mypy --strict
#   make docs         write docs/cli.md again from the commands
#   make bench-smoke  the benchmarks at a size that only proves they run
#   make clean        remove what was built, the environment included

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
WORKERS ?= 2
# One seed for all workers of a run, another for the next run; printed, so that a failure can be run again.
SEED := $(or $(SEED),$(shell $(PYTHON) -c 'import random; print(random.randrange(2**32))'))

.DEFAULT_GOAL := help
.PHONY: help demo test lint docs bench-smoke clean .venv

help:
	@sed -n 's/^#   //p' Makefile

# Made again only when the project's requirements change.
$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "hybridkb needs Python 3.11 or newer; try: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv .venv
	PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[all,dev]"
	@# A plain path entry: scripts that lie beside the checkout would take its folder for the package.
	@$(BIN)/python -c 'import pathlib, sys, sysconfig; \
	  pathlib.Path(sysconfig.get_path("purelib"), "checkout.pth").write_text(sys.argv[1] + "\n")' "$(CURDIR)"
	@touch $@

.venv: $(READY)

demo: $(READY)
	@$(BIN)/python examples/demo.py

test: $(READY)
	@echo "PYTHONHASHSEED=$(SEED)"
	@PYTHONHASHSEED=$(SEED) $(BIN)/python -m pytest -n $(WORKERS) $(ARGS)

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/mypy --strict

docs: $(READY)
	$(BIN)/python tests/docs/generate_cli.py

bench-smoke: $(READY)
	@mkdir -p .demo
	$(BIN)/python bench/speed.py --size smoke --json .demo/speed-smoke.json
	$(BIN)/python bench/folder_sync.py --size smoke --json .demo/folder-smoke.json
	$(BIN)/python bench/desk_quality.py --words --json .demo/desk-words.json

clean:
	rm -rf .venv .demo build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
