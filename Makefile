# `make run` and `make test` set everything up by themselves, in .venv.

PYTHON ?= python3
BIN := .venv/bin
LISTS := $(sort $(wildcard codegen/lists/*.py))
SIGNALS := $(sort $(wildcard codegen/lists/signals/*.py)) --language signals
TREE := .venv/tree/megabatt

# Images of containers often set it; then each of the processes that tests start compiles all modules.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test long tree check docs package cuda-source host-cuda gpu-test generate install with-cupy clean

run: generate
	$(BIN)/python run_batt.py run --out results --overwrite

test: install
	$(BIN)/python -m pytest -n auto --dist worksteal

# The package as an installation has it, where its folders lie beside one another.
tree: install
	mkdir -p $(TREE)
	ln -sfn $(CURDIR)/megabatt/* $(CURDIR)/codegen $(CURDIR)/runtime $(CURDIR)/templates $(TREE)

check: tree
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m codegen $(LISTS) --out generated --check
	$(BIN)/python -m codegen $(SIGNALS) --out generated/signals --check

# The pages as a site, in site/; needs no network once it is installed.
docs: tree
	$(BIN)/python -c 'import material, mkdocstrings, nbclient, matplotlib' 2>/dev/null \
		|| $(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	@echo "building the site takes a minute or two: the notebooks are run"
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict
	@echo "the site: $(CURDIR)/site/index.html"

# sdist and wheel; the wheel in an environment of its own, outside the checkout.
package: install
	$(BIN)/python -m tests.package $(PYTHON)

# Every lane kernel through CuPy's compiler and NVRTC; needs no GPU.
cuda-source: with-cupy
	$(BIN)/python -m pytest -m 'cuda and not long' tests/engine/test_cuda_source.py tests/signal/test_cuda_source.py

# Every lane kernel as C++ for the host. Then CuPy itself, over a CUDA device that is the host's CPU:
# the rules, and whole commands.
HOST_CUDA := $(CURDIR)/.venv/host_cuda
ON_HOST_CUDA := PYTHONPATH=$(HOST_CUDA) MEGABATT_TEST_DEVICE=cuda $(BIN)/python -m pytest -n auto --dist worksteal -m device
host-cuda: $(HOST_CUDA)/built
	$(BIN)/python -m pytest -n 2 --dist loadfile -m 'cuda and not long' tests/engine/test_cuda_host.py
	$(ON_HOST_CUDA)
	PYTHONPATH=$(HOST_CUDA) $(BIN)/python -m pytest -n auto --dist worksteal tests/host_cuda

$(HOST_CUDA)/built: pyproject.toml $(wildcard tests/host_cuda/*.* tests/host_cuda/include/*) | with-cupy
	$(BIN)/python -m tests.host_cuda $(HOST_CUDA)
	touch $@

# What takes minutes: runs killed at fifty moments, whole schedulers, thousands of mutated files; and the
# examples that the gate leaves out: it draws a quarter of them, on the host's CUDA device an eighth.
long: $(HOST_CUDA)/built
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dask,ray]'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps sionna-no-rt
	MEGABATT_TEST_LONG=1 $(BIN)/python -m pytest -n 2 --dist worksteal -m ''
	MEGABATT_TEST_LONG=1 $(ON_HOST_CUDA)
	PYTHONPATH=$(HOST_CUDA) $(BIN)/python -m pytest -n 2 -m '' tests/host_cuda

with-cupy: install
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[cuda-source]'
	@test -n "$$CXX" || command -v c++ || command -v g++ || command -v clang++ \
		|| $(BIN)/python -m pip install --quiet --disable-pip-version-check ziglang

# On a machine with a GPU; CUDA=cuda13 for CUDA 13. Commit the report that it writes.
CUDA ?= cuda12
gpu-test: install
	$(BIN)/python -c 'import cupy' || $(BIN)/python -m pip install --quiet -e '.[$(CUDA)]'
	$(BIN)/python -m benchmarks.gpu_test

generate: install
	$(BIN)/python -m codegen $(LISTS) --out generated
	$(BIN)/python -m codegen $(SIGNALS) --out generated/signals

install: .venv/installed

.venv/installed: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@

clean:
	rm -rf .venv results build dist megabatt.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
