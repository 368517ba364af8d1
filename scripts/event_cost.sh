#!/usr/bin/env bash
# scripts/event_cost.sh OUT: what two CUDA events add to a sample on this machine, alone and with neighbours. Builds
# scripts/event_cost.cu with nvcc, and writes OUT/event_cost.csv and OUT/machine.txt. Takes half a minute. Settings of
# the GPU are read, never changed.
set -euo pipefail
out=$1
mkdir -p "$out"
program=$(mktemp -d)/event_cost
nvcc -std=c++20 -O3 -arch=native -o "$program" "$(dirname "$0")/event_cost.cu"
gpus=$(nvidia-smi --query-gpu=index --format=csv,noheader | wc -l)

{
  uname -sr
  nproc
  grep -m1 'model name' /proc/cpuinfo
  grep -E 'MemTotal' /proc/meminfo
  ls /sys/class/iommu 2>/dev/null | head -3
  nvidia-smi --query-gpu=index,name,driver_version,vbios_version,pci.bus_id,pcie.link.gen.current,pcie.link.width.current,ecc.mode.current,mig.mode.current,persistence_mode,power.limit,clocks.sm,clocks.max.sm,compute_mode --format=csv
  nvidia-smi topo -m
  nvidia-smi nvlink --status | grep -c GB/s || true
} >"$out/machine.txt" 2>&1

echo condition,how,what,planned_ns,events_q1_ns,events_median_ns,events_q3_ns,span_q1_ns,span_median_ns,span_q3_ns >"$out/event_cost.csv"
# with_neighbour CONDITION GPU idle|busy: the probe on GPU 0 while another process is on GPU.
with_neighbour() {
  "$program" --neighbour "$2" "$3" &
  local neighbour=$!
  sleep 2
  "$program" "$1" >>"$out/event_cost.csv"
  kill "$neighbour"
  wait "$neighbour" 2>/dev/null || true
}
"$program" alone >>"$out/event_cost.csv"
CUDA_VISIBLE_DEVICES=0 "$program" one_visible >>"$out/event_cost.csv"
"$program" again >>"$out/event_cost.csv"
CUDA_DEVICE_MAX_CONNECTIONS=1 "$program" one_connection >>"$out/event_cost.csv"
with_neighbour same_gpu_idle 0 idle
if [ "$gpus" -gt 1 ]; then
  with_neighbour next_gpu_idle 1 idle
  with_neighbour next_gpu_busy 1 busy
  "$program" peers --peers >>"$out/event_cost.csv"
fi
