#!/bin/sh
# scripts/measure_all.sh PROGRAM FOLDER [CONFIG ...]: runs each config (by default all of configs/) on the GPU into
# FOLDER/<config name>. Several GPUs, as in REDBENCH_GPUS="0 1 2 3", take the configs in turn, so that each is whole on one of
# them; the CPU's algorithms, which would be timed beside other runs, are then left out (of chapter 2 nothing is left, which
# is exit code 2): the same command with one GPU in REDBENCH_GPUS makes those of the configs that this GPU began. An
# interrupted run is resumed. After a failure the next config runs; the exit code is the worst.
set -u
program=$1
folder=$2
shift 2
[ $# -gt 0 ] || set -- configs/quick.json configs/large.json configs/f16.json configs/histogram.json configs/labels.json \
  configs/multiscan.json configs/slides/*.json configs/sizmann2023/*.json configs/luitjens2014/*.json \
  configs/martin2012/*.json configs/eilers2014/*.json configs/fastest/*.json configs/uses/*.json
gpus=${REDBENCH_GPUS:-0}
lanes=$(echo "$gpus" | wc -w)
cores=$(($(nproc) / lanes))

# Every lanes-th config, from one of the first on, on a GPU and, beside others, its share of the cores.
lane() {
  lane=$1 gpu=$2 number=0 worst=0
  shift 2
  only='' pin=''
  if [ "$lanes" -gt 1 ]; then
    only="--variants /([^c]|c[^p])"
    pin="taskset -c $((lane * cores))-$((lane * cores + cores - 1))"
  fi
  for config in "$@"; do
    number=$((number + 1))
    [ $((number % lanes)) -eq "$lane" ] || continue
    name=${config#configs/}
    echo "== $config: cuda:$gpu"
    start=$(date +%s)
    # shellcheck disable=SC2086 # words, or none
    $pin "$program" run "$config" --device "cuda:$gpu" --out "$folder/${name%.json}" --resume $only
    code=$?
    echo "== $config: exit $code after $(($(date +%s) - start)) s"
    [ "$code" -gt "$worst" ] && worst=$code
  done
  exit "$worst"
}

lane=0 lanes_begun=
for gpu in $gpus; do
  (lane "$lane" "$gpu" "$@") &
  lanes_begun="$lanes_begun $!"
  lane=$((lane + 1))
done
worst=0
for begun in $lanes_begun; do
  wait "$begun"
  code=$?
  [ "$code" -gt "$worst" ] && worst=$code
done
exit "$worst"
