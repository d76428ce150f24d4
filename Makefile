# Everything sets itself up: `make demo` and `make test` work on a fresh checkout.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready

# What Python has compiled of a source is kept: tests start hundreds of processes.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test tests slow lint bench bench-peers accuracy defaults web clean

demo: $(READY)
	$(BIN)/grouser run m113 --scenario straight --duration 10 --out m113.h5 --report m113.html
	$(BIN)/grouser render m113.h5 --size 1200x560 --out m113.png

# The types are checked by one process, so tests run beside it.
test: $(READY)
	$(MAKE) --jobs 2 lint tests

# A file is tested by one of two processes: its tests share runs, and compiled code. Each compiles alone, since no core
# is left for others that it would start.
tests: $(READY)
	GROUSER_COMPILE_PROCESSES=1 $(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

slow: $(READY)
	$(BIN)/python -m pytest -m slow

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(READY)
	$(BIN)/python bench/tracks.py
	$(BIN)/python bench/wheels.py
	$(BIN)/python bench/crawler.py

accuracy: $(READY)
	$(BIN)/python bench/accuracy.py

defaults: $(READY)
	$(BIN)/python bench/defaults.py

web:
	cd src/grouser/output/web && npm install --no-package-lock --no-audit --no-fund && node build.mjs

bench-peers: $(READY)
	$(BIN)/python -m pip install --quiet --editable '.[peers]'
	$(BIN)/python bench/peers.py
	$(BIN)/python bench/elements.py
	$(BIN)/python bench/ancf.py

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --no-compile --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
