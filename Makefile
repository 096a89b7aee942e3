# The commands of this repository; `make help` lists them.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
EXTRAS := server,embedded,testing,dev
CODE = $(wildcard server client/python tests tools benchmarks examples)
# Set to 0 to run the tests in one process.
TEST_PROCESSES ?= 2

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_ROOT_USER_ACTION := ignore

.DEFAULT_GOAL := help
.PHONY: help setup demo serve test check generate verify bench clean

help: ## List the targets
	@grep -hE '^[a-z]+:.*## ' Makefile | sed -E 's/^([a-z]+):[^#]*## /  make \1\t/' | expand -t 18

setup: $(INSTALLED) ## Make the virtual environment .venv with everything in it

$(INSTALLED): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Tenure needs Python 3.11 or newer; name one with: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 2; }
	@test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV) || \
	  { echo "Python's venv module does not work here; on Debian and Ubuntu install python3-venv." >&2; exit 2; }
	@echo "Installing the pinned packages into $(VENV) (about a minute the first time)"
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt hatchling
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt --no-build-isolation --editable '.[$(EXTRAS)]'
	@touch $@

demo: setup ## Run the main job on real files, with a worker and the server killed midway (ARGS=…)
	@$(BIN)/tenure demo $(ARGS)

serve: setup ## Start a server with its own PostgreSQL (ARGS=…)
	@$(BIN)/tenure serve $(ARGS)

test: setup ## Run all tests (ARGS=… goes to pytest)
	@$(BIN)/pytest --numprocesses $(TEST_PROCESSES) --dist loadfile $(ARGS)

check: setup ## Check format, lint, types, layers, protos and generated code
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/ruff check $(CODE)
	$(BIN)/mypy $(CODE)
	$(BIN)/lint-imports --no-logo
	$(BIN)/buf lint proto
	$(BIN)/python -m tools.generate --check

generate: setup ## Write all generated files anew from proto/ and the code
	@$(BIN)/python -m tools.generate

verify: setup ## Prove that the generated files are what their sources say, and the API still compatible
	@$(BIN)/python -m tools.generate --check
	@tag=$$(git describe --tags --abbrev=0 --match 'v*' 2>/dev/null) || exit 0; \
	  $(BIN)/buf breaking proto --against ".git#tag=$$tag,subdir=proto"

bench: setup ## Run the benchmarks (ARGS=…)
	@$(BIN)/python -m benchmarks $(ARGS)

clean: ## Remove the virtual environment and everything tools left behind
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find server client tests tools benchmarks -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
