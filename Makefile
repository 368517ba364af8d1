# make demo: from a fresh machine to a table and a figure. make test: every test. KERNELS='DIR;DIR': with variants of
# your own.
BUILD ?= build
CUDA ?= AUTO
KERNELS ?=
CMAKE_FLAGS ?=
PYTHON := .venv/bin/python
export MPLBACKEND := Agg

.PHONY: demo test program tools clean

demo: program
	$(PYTHON) scripts/get_samples.py
	$(BUILD)/redbench run configs/quick.json --out $(BUILD)/demo --replace
	$(PYTHON) scripts/make_plots.py $(BUILD)/demo
	@echo "Table:  $(BUILD)/demo/tables/quick.md"

test: program
	cmake --build $(BUILD)
	$(PYTHON) scripts/get_samples.py
	ctest --test-dir $(BUILD) --output-on-failure --timeout 900 -j 2
	$(BUILD)/tests/redbench_gpu_tests --gtest_brief=1
	$(PYTHON) -m unittest discover -s tests/scripts -p 'test_*.py'

program: tools
	cmake -S . -B $(BUILD) -G Ninja -DREDBENCH_CUDA=$(CUDA) -DREDBENCH_KERNELS='$(KERNELS)' $(CMAKE_FLAGS)
	cmake --build $(BUILD) --target redbench

tools:
	@scripts/install_tools.sh

clean:
	rm -rf $(BUILD)
