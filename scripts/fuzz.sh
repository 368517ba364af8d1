#!/bin/sh
# fuzz.sh PROGRAM RUNS [TARGET...]: each target (without names: all but plan and tables, a run of which takes
# milliseconds) for so many runs. New inputs go to fuzzed/TARGET beside the program, what a target fails on to
# fuzzed/findings; the corpora stay as they are.
set -eu
program=$(realpath "$1"); runs=$2; shift 2
folder=$(dirname "$program")/fuzzed
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- config override model npy pgm records pattern
status=0
for target in "$@"; do
  mkdir -p "$folder/$target" "$folder/findings"
  echo "$target: $runs runs, log in $folder/$target.log"
  # Addresses of the host's drivers and of libgomp's threads are never given back.
  # -entropic and -reduce_inputs would take more time than the readers.
  OMP_NUM_THREADS=1 ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=4:malloc_context_size=1 "$program" \
    --target="$target" -runs="$runs" -seed=1 -max_len=4096 -timeout=10 -rss_limit_mb=512 -entropic=0 -reduce_inputs=0 \
    -dict=tests/fuzz/words.dict -print_final_stats=1 \
    -artifact_prefix="$folder/findings/$target-" "$folder/$target" "tests/fuzz/corpora/$target" \
    > "$folder/$target.log" 2>&1 || status=1
  tail -n 8 "$folder/$target.log"
done
exit $status
