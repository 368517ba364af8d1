#!/bin/sh
# scripts/measure_all.sh PROGRAM FOLDER [CONFIG ...] [-- OPTION ...]: runs each config (by default all of configs/) on the GPU
# into FOLDER/<config name>; options go to `run`. Several GPUs, as in REDBENCH_GPUS="0 1 2 3", each take the next config when
# they are free, so that each config is whole on one of them: put long ones first. The CPU's algorithms, which would be timed
# beside other runs, are then left out (of chapter 2 nothing is left, which is exit code 2): the same command with one GPU
# makes those of the configs that this GPU began. REDBENCH_SECONDS ends it after so long; the same command then goes on,
# each config on its GPU, as said in FOLDER/taken, which is yours to remove. After a failure the next config runs; the exit
# code is the worst.
set -u
program=$1
folder=$2
shift 2
configs=
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  configs="$configs $1"
  shift
done
[ $# -gt 0 ] && shift
[ -n "$configs" ] || configs=$(echo configs/quick.json configs/large.json configs/f16.json configs/histogram.json \
  configs/labels.json configs/multiscan.json configs/*/*.json | tr ' ' '\n' | grep -Ev '^configs/(best|claims|devices)/')
gpus=${REDBENCH_GPUS:-0}
end=$(($(date +%s) + ${REDBENCH_SECONDS:-100000000}))
lanes=$(echo "$gpus" | wc -w)
cores=$(($(nproc) / lanes))
mkdir -p "$folder/taken"

# Whether the GPU is to run what is noted at $1: in its first pass what it has begun, in its second what nobody has.
takes() {
  [ "$lanes" -gt 1 ] || { mkdir -p "$1" && [ "$2" = first ]; return; }
  if [ "$2" = first ]; then
    [ "$(cat "$1/gpu" 2>/dev/null)" = "$gpu" ] && ! [ -e "$1/ended" ]
  else
    mkdir "$1" 2>/dev/null && echo "$gpu" >"$1/gpu"
  fi
}

# Runs the configs of one GPU, which beside others has its share of the cores.
lane() {
  lane=$1 gpu=$2 worst=0 only='' pin=''
  shift 2
  if [ "$lanes" -gt 1 ]; then
    only="--variants /([^c]|c[^p])"
    [ "$cores" -eq 0 ] || pin="taskset -c $((lane * cores))-$((lane * cores + cores - 1))"
  fi
  for pass in first second; do
    for config in $configs; do
      name=${config#configs/}
      taken=$folder/taken/$(echo "${name%.json}" | tr / _)
      left=$((end - $(date +%s)))
      [ "$left" -gt 10 ] || exit "$worst"
      takes "$taken" $pass || continue
      start=$(date +%s)
      # shellcheck disable=SC2086 # words, or none
      $pin timeout --signal INT "$left" "$program" run "$config" --device "cuda:$gpu" --out "$folder/${name%.json}" \
        --resume $only "$@" >"$taken/log" 2>&1
      code=$?
      echo "== $config: cuda:$gpu, exit $code after $(($(date +%s) - start)) s: $(tail -n 1 "$taken/log")"
      [ $code -eq 124 ] || : >"$taken/ended"
      [ $code -gt "$worst" ] && worst=$code
    done
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
