# make demo: from a fresh machine to a table and a figure. make test: every test; its last line is their sum; with
# TESTS=--skipped those alone that the last one skipped, and the sum of both.
# KERNELS='DIR;DIR': with variants of your own. make fuzz RUNS=...: docs/fuzzing.md.
BUILD ?= build
CUDA ?= AUTO
KERNELS ?=
TESTS ?=
CMAKE_FLAGS ?=
RUNS ?= 1000000
SANITIZE ?= address
PYTHON := .venv/bin/python
export MPLBACKEND := Agg

.PHONY: demo test fuzz sanitize program tools clean

demo: program
	$(PYTHON) scripts/get_samples.py
	$(BUILD)/redbench run configs/quick.json --out $(BUILD)/demo --replace
	$(PYTHON) scripts/make_plots.py $(BUILD)/demo
	@echo "Table:  $(BUILD)/demo/tables/quick.md"

test: program
	cmake --build $(BUILD)
	$(PYTHON) scripts/get_samples.py
	@which $$REDBENCH_BROWSER chromium chromium-browser google-chrome google-chrome-stable | grep -q . || \
	  scripts/install_tools.sh chromium || echo "No Chromium: the report is not tested in a browser" >&2
	$(PYTHON) scripts/test_all.py $(BUILD) $(TESTS)

# What a sanitizer looks at: cmake/sanitize.cmake. One thread for OpenMP, as two tests run at a time. A report ends its
# process, as nobody reads what a worker prints. A fault's handler allocates memory to find the line of the source: the
# process ends after it, so the thread sanitizer need not report that.
sanitize: tools
	cmake -S . -B build-$(SANITIZE) -G Ninja -DREDBENCH_CUDA=OFF -DREDBENCH_SANITIZE=$(SANITIZE) $(CMAKE_FLAGS)
	cmake --build build-$(SANITIZE) --target redbench_tests redbench_gpu_tests
	$(PYTHON) scripts/get_samples.py
	OMP_NUM_THREADS=1 TSAN_OPTIONS=halt_on_error=1:report_signal_unsafe=0:suppressions=$(CURDIR)/cmake/libgomp.supp \
	  ctest --test-dir build-$(SANITIZE) --output-on-failure -j 2

fuzz: tools
	@scripts/install_tools.sh libclang-rt-dev
	cmake -S . -B build-fuzz -G Ninja -DREDBENCH_CUDA=OFF -DREDBENCH_SANITIZE=address -DREDBENCH_FUZZ=ON $(CMAKE_FLAGS)
	cmake --build build-fuzz --target redbench_fuzz
	scripts/fuzz.sh build-fuzz/tests/fuzz/redbench_fuzz $(RUNS)

program: tools
	cmake -S . -B $(BUILD) -G Ninja -DREDBENCH_CUDA=$(CUDA) -DREDBENCH_KERNELS='$(KERNELS)' $(CMAKE_FLAGS)
	cmake --build $(BUILD) --target redbench

tools:
	@scripts/install_tools.sh

clean:
	rm -rf $(BUILD)
