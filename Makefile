# Everything a person types. Each target brings what it needs: packages, Python environment, configured build.
# `make help` lists the targets.
SHELL := /bin/bash
.DEFAULT_GOAL := help
.SUFFIXES:
.SECONDARY:

JOBS ?= $(shell nproc)
PY := .venv/bin/python
RESULTS := build/results
comma := ,
export SUNMAO_BUILD_DIR ?= $(CURDIR)/build/release
export SUNMAO_BIN ?= $(SUNMAO_BUILD_DIR)/bin/sunmao
export ASAN_OPTIONS ?= detect_leaks=1:detect_stack_use_after_return=1
export UBSAN_OPTIONS ?= print_stacktrace=1
export TSAN_OPTIONS ?= second_deadlock_stack=1

# Of several goals that are made at once, one builds; the others then find what it has built.
RELEASE := flock Makefile cmake
BUILD = $(RELEASE) --build build/release -j $(JOBS)

.PHONY: help
help:  ## what can be made
	@grep -hE '^[a-z% -]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z% -]+):[^#]*## */\1\t/' | \
	  awk -F'\t' '{printf "  make %-15s %s\n", $$1, $$2}'

.PHONY: setup setup-test setup-check setup-view setup-package
setup:  ## bring missing packages and the Python environment for building, nothing else
	@tools/setup.sh build

setup-test setup-check setup-view setup-package: setup-%:  # likewise for testing; linting and sanitizers; pages; packages
	@tools/setup.sh $*

build/%/build.ninja: | setup-check
	cmake --preset $*

build/release/build.ninja: | setup
	$(RELEASE) --preset release

# There from the first configuration that finds GoogleTest on. What testing needs is fetched while the programs compile.
build/release/tests/CTestTestfile.cmake: | setup build/release/build.ninja
	@tools/setup.sh test & fetching=$$!; $(BUILD) --target programs; built=$$?; \
	  wait $$fetching && exit $$built
	$(RELEASE) --preset release

.PHONY: build programs
build: build/release/tests/CTestTestfile.cmake setup-test  ## build everything, optimised
	@$(BUILD)

programs: setup build/release/build.ninja  ## build the command line, the runtime and the Python extension
	@$(BUILD) --target programs

# Into $(DESTDIR)$(PREFIX), which may be moved afterwards. The Python package comes with `pip install .`.
PREFIX ?= /usr/local
.PHONY: install
install: setup build/release/build.ninja  ## install command line, runtime, headers and packages (PREFIX=/usr/local DESTDIR=)
	@$(BUILD) --target sunmao sunmao_runtime
	@for part in compiler runtime; do \
	  DESTDIR=$(DESTDIR) cmake --install build/release --strip --prefix $(abspath $(PREFIX)) --component $$part || exit 1; done

.PHONY: packages
packages: programs setup-package  ## wheels, sources and the runtime as files to hand out, in dist/
	@$(PY) tools/packages.py

.PHONY: demo
demo: setup build/release/build.ninja  ## compile a model file, run it, compare and time it
	@$(BUILD) --target demo_programs
	@$(PY) tools/demo.py

.PHONY: test ctest pytest
test: ctest pytest  ## build and run all tests of the release lane

ctest: build
	@mkdir -p $(RESULTS)
	@ctest --test-dir build/release -j $(JOBS) --output-on-failure --no-tests=error \
	  --output-junit $(CURDIR)/$(RESULTS)/ctest.xml

pytest: build
	@mkdir -p $(RESULTS)
	@$(PY) -m pytest -q -n $(JOBS) --junitxml=$(RESULTS)/pytest.xml

.PHONY: test-models
test-models: build  ## whole models with random weights, against NumPy; bytes of weights in files and artifacts
	@mkdir -p $(RESULTS)
	@$(PY) tools/weight_bytes.py
	@$(PY) -m pytest -q tests/zoo --junitxml=$(RESULTS)/models.xml

# In an environment of its own, which has PyTorch, ONNX Runtime and the libraries of models.
DIFFERENTIAL = build/differential-env/bin/python -m pytest -q -n $(JOBS) --dist loadgroup
.PHONY: differential-env test-differential test-zoo
differential-env:
	@tools/differential_env.sh

test-differential: build differential-env  ## cases of ops and eight whole models, against PyTorch and ONNX Runtime
	@mkdir -p $(RESULTS)
	@$(DIFFERENTIAL) tests/differential -m "fixed or not zoo" --junitxml=$(RESULTS)/differential.xml

test-zoo: build differential-env  ## all models in all forms and under torch.compile, and ONNX's own node tests, against their references
	@mkdir -p $(RESULTS)
	@$(DIFFERENTIAL) tests/differential/test_zoo.py tests/differential/test_zoo_backend.py --junitxml=$(RESULTS)/zoo.xml; status=$$?; \
	  build/differential-env/bin/python tests/differential/zoo_report.py && \
	  build/differential-env/bin/python tests/differential/onnx_node_tests.py --jobs $(JOBS) && exit $$status

.PHONY: trained-models
trained-models: build differential-env  ## trained models inside packages, against ONNX Runtime, into docs/trained-models.md
	@tools/trained_packages.sh build/differential-env/bin/python
	@build/differential-env/bin/python tests/differential/trained_models.py --jobs $(JOBS)

.PHONY: test-ops
# What `make test` compares is not compared again.
test-ops: build  ## ops at length: samples 7 to 24 of each against NumPy, 2,000 drawn calls, 200 random modules
	@mkdir -p $(RESULTS)
	@build/release/tests/random/fuzz_engines 3000 --first=1000 & engines=$$!; \
	  build/release/tests/random/fuzz_modules 300 --first=100; \
	  modules=$$?; wait $$engines && exit $$modules  # each uses one processor
	@$(PY) -m pytest -q -n $(JOBS) tests/ops/test_op_values.py tests/ops/test_op_bounds.py --first-sample=6 \
	  --samples=24 --junitxml=$(RESULTS)/ops.xml

.PHONY: test-compiled
test-compiled: build  ## compiled kernels, with all cases of tables of which `make test` runs a part
	@mkdir -p $(RESULTS)
	@$(PY) -m pytest -q -n $(JOBS) tests/compiled --whole --junitxml=$(RESULTS)/compiled.xml

# Slow, for the end of a larger change; .ci/run does not run it.
.PHONY: test-whole
test-whole: test-compiled test-zoo tsan-runtime build/asan/build.ninja  ## all cases of what other goals run in part: compiled kernels, models, ops with 40 samples, the thread sanitizer, tests under sanitizers
	@$(PY) -m pytest -q -n $(JOBS) tests/ops/test_op_values.py tests/ops/test_op_bounds.py tests/ops/test_op_dtypes.py \
	  --samples=40 --junitxml=$(RESULTS)/ops-whole.xml
	@cmake --build build/asan -j $(JOBS)
	@SUNMAO_WHOLE=1 build/asan/tests/unit_frontend --gtest_brief=1
	@SUNMAO_WHOLE=1 build/asan/tests/unit_passes --gtest_brief=1
	@SUNMAO_WHOLE=1 build/asan/tests/unit_script --gtest_brief=1
	@SUNMAO_WHOLE=1 build/asan/tests/random/unit_random --gtest_brief=1
	@build/asan/tests/random/fuzz_engines 1000
	@build/asan/tests/random/fuzz_codegen 100

.PHONY: test-packages
test-packages: programs setup-package  ## what `make packages` builds, in empty environments of this machine and Debian 13
	@mkdir -p $(RESULTS)
	@$(PY) -m pytest -q tests/distribution --junitxml=$(RESULTS)/packages.xml

.PHONY: test-view
test-view: programs setup-view  ## pages of `sunmao view` in a headless Chromium
	@mkdir -p $(RESULTS)
	@$(PY) -m pytest -q tests/view --junitxml=$(RESULTS)/view.xml

.PHONY: asan tsan
asan tsan: %: setup-check build/%/build.ninja  ## the tests under sanitizers (clang)
	@cmake --build build/$@ -j $(JOBS)
	@mkdir -p $(RESULTS)
	@ctest --test-dir build/$@ -j $(JOBS) --output-on-failure --no-tests=error \
	  --output-junit $(CURDIR)/$(RESULTS)/$@.xml

.PHONY: tsan-runtime
tsan-runtime: setup-check build/tsan/build.ninja  ## the runtime's tests under the thread sanitizer
	@cmake --build build/tsan -j $(JOBS) --target unit_runtime
	@build/tsan/tests/unit_runtime --gtest_brief=1

# make fuzz-io_zip FUZZ_SECONDS=600 runs tests/fuzz/fuzz_io_zip.cpp; what it finds is kept in build/fuzz/corpus.
FUZZ_SECONDS ?= 60
fuzz-%: setup-check build/fuzz/build.ninja  ## search with libFuzzer: fuzz-<harness>, for FUZZ_SECONDS
	@cmake --build build/fuzz -j $(JOBS) --target libfuzz_$*
	@mkdir -p build/fuzz/corpus/$*
	@build/fuzz/tests/fuzz/libfuzz_$* -max_total_time=$(FUZZ_SECONDS) -timeout=20 -rss_limit_mb=2048 \
	  build/fuzz/corpus/$* $(wildcard tests/fuzz/corpus/fuzz_$*)

# Changed scripts through the reader under sanitizers, FUZZ_COUNT of them in all. The count is kept: a run that was ended
# goes on where it was.
FUZZ_COUNT ?= 1000000
.PHONY: fuzz-script
fuzz-script: setup-check build/asan/build.ninja  ## FUZZ_COUNT mutated scripts through the reader, resumable
	@cmake --build build/asan -j $(JOBS) --target fuzz_script
	@mkdir -p build/fuzz
	@build/asan/tests/fuzz/fuzz_script --iterations=$(FUZZ_COUNT) --seed=2 --resume=build/fuzz/fuzz_script.count \
	  --max-seconds=1 --max-megabytes=512 \
	  tests/fuzz/corpus/fuzz_script tests/script

.PHONY: fuzz-bytecode
fuzz-bytecode: setup-check build/asan/build.ninja  ## FUZZ_COUNT mutated programs through verifier, disassembler and layout, resumable
	@cmake --build build/asan -j $(JOBS) --target fuzz_runtime_bytecode
	@mkdir -p build/fuzz
	@build/asan/tests/fuzz/fuzz_runtime_bytecode --iterations=$(FUZZ_COUNT) --seed=3 \
	  --resume=build/fuzz/fuzz_bytecode.count --max-seconds=1 --max-megabytes=512 tests/fuzz/corpus/fuzz_runtime_bytecode

# Changed models through their readers, likewise: MODEL_FUZZ_COUNT of each kind. Small models of the differential tests are
# seeds as well, where they have been exported. An input that fails is kept beside the count.
MODEL_FUZZ_COUNT ?= 300000
.PHONY: fuzz-onnx-models fuzz-pt2-models
fuzz-onnx-models fuzz-pt2-models: fuzz-%-models: setup-check build/asan/build.ninja  ## MODEL_FUZZ_COUNT mutated models through the reader, resumable
	@cmake --build build/asan -j $(JOBS) --target fuzz_$*
	@mkdir -p build/fuzz
	@build/asan/tests/fuzz/fuzz_$* --iterations=$(MODEL_FUZZ_COUNT) --seed=2 --resume=build/fuzz/fuzz_$*.count \
	  --max-seconds=1 --max-megabytes=512 --max-seed=12000 \
	  tests/fuzz/corpus/fuzz_$* $(wildcard build/fuzz/seeds_$*.pack build/differential/models/*/model.$*)

.PHONY: fuzz-safetensors
fuzz-safetensors: setup-check build/asan/build.ninja  ## MODEL_FUZZ_COUNT mutated safetensors files through their reader, resumable
	@cmake --build build/asan -j $(JOBS) --target fuzz_io_safetensors
	@mkdir -p build/fuzz
	@build/asan/tests/fuzz/fuzz_io_safetensors --iterations=$(MODEL_FUZZ_COUNT) --seed=2 \
	  --resume=build/fuzz/fuzz_io_safetensors.count --max-seconds=1 --max-megabytes=512 tests/fuzz/corpus/fuzz_io_safetensors

# Random modules through every pass, MODULE_COUNT of them in all; the count is kept as well.
MODULE_COUNT ?= 20000
.PHONY: fuzz-modules
fuzz-modules: setup-test build/release/tests/CTestTestfile.cmake  ## MODULE_COUNT random modules through every pass, resumable
	@$(BUILD) --target fuzz_modules
	@mkdir -p build/fuzz
	@build/release/tests/random/fuzz_modules $(MODULE_COUNT) build/fuzz/fuzz_modules.count

# The evaluator against compiled code, ENGINE_COUNT cases in all, by ENGINE_CHILDREN processes. What is counted is what
# this very program ran: after a change it starts anew.
ENGINE_COUNT ?= 200000
ENGINE_CHILDREN ?= 1
.PHONY: fuzz-engines fuzz-engines-asan
fuzz-engines: setup-test build/release/tests/CTestTestfile.cmake  ## ENGINE_COUNT calls of ops evaluated and compiled, compared, resumable
fuzz-engines-asan: ENGINE_COUNT = 20000
fuzz-engines-asan: setup-check build/asan/build.ninja  ## 20,000 of them under sanitizers
fuzz-engines fuzz-engines-asan: fuzz-engines%:
	@cmake --build build/$(or $(*:-%=%),release) -j $(JOBS) --target fuzz_engines
	@mkdir -p build/fuzz
	@build/$(or $(*:-%=%),release)/tests/random/fuzz_engines $(ENGINE_COUNT) --children=$(ENGINE_CHILDREN) \
	  --state=build/fuzz/fuzz_engines$*.count

# Compiled random modules against the evaluator: each at O0 and O3, with one thread and two; instruction sets, bound
# weights and structure change among these ways.
CODEGEN_COUNT ?= 2000
.PHONY: fuzz-codegen
fuzz-codegen: setup-test build/release/tests/CTestTestfile.cmake  ## CODEGEN_COUNT random modules compiled and evaluated, compared, resumable
	@$(BUILD) --target fuzz_codegen
	@mkdir -p build/fuzz
	@build/release/tests/random/fuzz_codegen $(CODEGEN_COUNT) build/fuzz/fuzz_codegen.count $(JOBS)

# Quantised graphs against real arithmetic, each compiled for two instruction sets; modules of faults are kept.
QUANTISED_COUNT ?= 2000
.PHONY: fuzz-quantised
fuzz-quantised: setup-test build/release/tests/CTestTestfile.cmake  ## QUANTISED_COUNT random quantised graphs compiled, compared with real arithmetic, resumable
	@cmake --build build/release -j $(JOBS) --target fuzz_quantised
	@mkdir -p build/fuzz
	@build/release/tests/random/fuzz_quantised $(QUANTISED_COUNT) build/fuzz $(JOBS)

# make bench MODELS=resnet50,bert ENGINES=all THREADS=1 SECONDS=5 RECORD=1: docs/bench.md says what these are.
.PHONY: bench bench-quantised bench-symbolic bench-trained bench-packages bench-env bench-models bench-kernels bench-threads
bench-env:
	@tools/python_env.sh bench

bench-packages: bench-env
	@tools/trained_packages.sh build/bench-env/bin/python

bench-models: bench-env  # those models of MODELS that are not there
	@build/bench-env/bin/python bench/bench_models.py $(subst $(comma), ,$(MODELS)) >/dev/null

bench: programs bench-env  ## whole models by Sunmao, PyTorch, ONNX Runtime and OpenVINO, interleaved
bench-quantised: programs bench-env  ## the same with models of bytes, as quantisers make them
bench-symbolic: programs bench-env  ## models whose sizes are symbols, beside the same with constants and other engines (KERNELS=1)
bench-trained: programs bench-env bench-packages  ## trained models of packages, beside ONNX Runtime
bench bench-quantised bench-symbolic bench-trained: bench%:
	@cmake --build build/release -j $(JOBS) --target bench_machine
	@build/bench-env/bin/python bench/compare_engines.py $(*:-%=--%) $(if $(MODELS),--models=$(MODELS)) \
	  $(if $(ENGINES),--engines=$(ENGINES)) $(if $(THREADS),--threads=$(THREADS)) \
	  $(if $(SECONDS),--seconds=$(SECONDS)) $(if $(RECORD),--record) $(if $(KERNELS),--kernels)

bench-kernels: programs  ## measured FMA peak, and what kernels and calls of layers reach of it
	@cmake --build build/release -j $(JOBS) --target bench_machine
	@$(PY) bench/bench_calls.py $(if $(JSON),--json)

bench-threads: programs  ## what two threads gain on calls of layers, against two processes side by side
	@$(PY) bench/bench_threads.py $(if $(JSON),--json)

.PHONY: lint lint-all check-layers check-style check-format check-python check-stubs check-tidy check-tidy-all format
lint: check-layers check-style check-format check-python check-stubs check-tidy  ## layers, style, formatting, ruff, mypy, stubs, clang-tidy on changed files
lint-all: check-layers check-style check-format check-python check-stubs check-tidy-all  ## the same with clang-tidy on all files

check-layers check-style check-format: check-%: setup-check
	@$(PY) tools/check_$*.py

check-python: setup-check
	@.venv/bin/ruff check -q . && .venv/bin/ruff format -q --check .
	@.venv/bin/mypy

check-stubs: setup-check programs
	@mkdir -p $(RESULTS)
	@$(PY) -m pytest -q tests/stubs --junitxml=$(RESULTS)/stubs.xml

# Configured anew each time, for the list of files to be that of the tree.
check-tidy check-tidy-all: check-tidy%: setup-check
	@cmake --preset tidy >/dev/null
	@$(PY) tools/check_tidy.py --build build/tidy --jobs $(JOBS) $(*:-%=--%)

format: setup-check  ## rewrite C++ and Python files in the project's format
	@$(PY) tools/check_format.py --fix
	@.venv/bin/ruff check -q --fix . ; .venv/bin/ruff format -q .

.PHONY: docs
docs: programs  ## write anew what is derived: docs/ops.md, docs/passes.md, docs/coverage.md, docs/life-of-a-model.md, the .pyi of the extension and of the ops
	@$(PY) tools/op_docs.py && $(PY) tools/pass_docs.py && $(PY) tools/op_coverage.py && $(PY) tools/life_of_a_model.py && $(PY) tools/make_stubs.py && $(PY) tools/op_stubs.py

.PHONY: acceptance conformance models drawn-models
acceptance: build  ## measure the promised figures into docs/acceptance.md, resumable (TOPIC=area or name, AGAIN=1)
	@$(PY) tools/acceptance.py $(if $(AGAIN),--again) $(TOPIC)

conformance: build  ## upstream's own tests, whose `tests` folder stands in SUITE
	@$(PY) tools/conformance.py --suite "$(or $(SUITE),$(error SUITE=DIR says where upstream's tests are))" --update

models: programs  ## make the test models again from PyTorch (brings torch and onnx into .venv)
	@$(PY) -m pip install --quiet --disable-pip-version-check -r tools/requirements-models.txt
	@$(PY) tools/make_models.py

drawn-models: differential-env  ## make the graphs in tests/models/networks and their outputs again from PyTorch
	@build/differential-env/bin/python tools/make_drawn_models.py

.PHONY: clean
clean:  ## remove what was built (keeps .venv)
	rm -rf build python/sunmao/_sunmao*.so
