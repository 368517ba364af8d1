#!/bin/sh
# scripts/test_gpu.sh PROGRAM ...: runs test programs (build/tests/redbench_gpu_tests, or as scripts/bundle.sh carried
# them) on a machine with a GPU, where a test without one fails, and prints a log of it. Ends with 1 where one failed.
set -u
date -u +%Y-%m-%dT%H:%M:%SZ
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader || echo "nvidia-smi is not here"
worst=0
for program in "$@"; do
  REDBENCH_NEEDS_GPU=1 "$program" --gtest_color=no || worst=1
done
exit "$worst"
