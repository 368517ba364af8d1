#!/bin/sh
# fuzz.sh PROGRAM RUNS [TARGET...]: each target (without names: all but plan and tables, a run of which takes
# milliseconds) for so many runs, which JOBS processes (1 where it is not set) share out. New inputs go to fuzzed/TARGET
# beside the program, what a target fails on to fuzzed/findings; the corpora stay as they are.
set -eu
program=$(realpath "$1"); runs=$2; shift 2
jobs=${JOBS:-1}
folder=$(dirname "$program")/fuzzed
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- config override model npy pgm records pattern

# Addresses of the host's drivers and of libgomp's threads are never given back.
# -entropic and -reduce_inputs would take more time than the readers.
run_target() {
  OMP_NUM_THREADS=1 ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=4:malloc_context_size=1 "$program" \
    --target="$1" -runs="$(((runs + jobs - 1) / jobs))" -seed="$2" -max_len=4096 -timeout=10 -rss_limit_mb=512 \
    -entropic=0 -reduce_inputs=0 -dict=tests/fuzz/words.dict -print_final_stats=1 \
    -artifact_prefix="$folder/findings/$1-" "$folder/$1" "tests/fuzz/corpora/$1" > "$folder/$1-$2.log" 2>&1
}

status=0
for target in "$@"; do
  mkdir -p "$folder/$target" "$folder/findings"
  echo "$target: $runs runs by $jobs processes, logs in $folder/$target-*.log"
  processes=""
  for seed in $(seq "$jobs"); do
    run_target "$target" "$seed" &
    processes="$processes $!"
  done
  for process in $processes; do wait "$process" || status=1; done
  for seed in $(seq "$jobs"); do tail -n 8 "$folder/$target-$seed.log"; done
done
exit $status
