#!/bin/sh
# scripts/measure_all.sh PROGRAM FOLDER [CONFIG ...]: runs each config (by default all of configs/) on the GPU into
# FOLDER/<config name>. An interrupted run is resumed. After a failure the next config runs; the exit code is the worst.
set -u
program=$1
folder=$2
shift 2
[ $# -gt 0 ] || set -- configs/quick.json configs/large.json configs/f16.json configs/histogram.json configs/labels.json \
  configs/multiscan.json configs/slides/*.json configs/sizmann2023/*.json configs/luitjens2014/*.json \
  configs/martin2012/*.json configs/eilers2014/*.json
worst=0
for config in "$@"; do
  name=${config#configs/}
  echo "== $config"
  start=$(date +%s)
  "$program" run "$config" --device cuda --out "$folder/${name%.json}" --resume
  code=$?
  echo "== $config: exit $code after $(($(date +%s) - start)) s"
  [ "$code" -gt "$worst" ] && worst=$code
done
exit "$worst"
