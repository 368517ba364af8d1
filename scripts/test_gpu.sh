#!/bin/sh
# scripts/test_gpu.sh PROGRAM ...: runs test programs (build/tests/redbench_gpu_tests, also from scripts/bundle.sh) on a
# machine that must have a GPU: tests that find none fail. Prints a log; exit code 1 where a test failed.
set -u
date -u +%Y-%m-%dT%H:%M:%SZ
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader || echo "nvidia-smi is not here"
worst=0
for program in "$@"; do
  REDBENCH_NEEDS_GPU=1 "$program" --gtest_color=no || worst=1
done
exit "$worst"
