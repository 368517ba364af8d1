#!/bin/sh
# fuzz.sh PROGRAM RUNS [TARGET...]: runs each target (without names: all but plan and tables, a run of which takes
# milliseconds) RUNS times, divided among JOBS processes (default 1). New inputs go to fuzzed/TARGET in the program's
# folder, inputs that a target fails on to fuzzed/findings; the corpora stay as they are.
set -eu
program=$(realpath "$1"); runs=$2; shift 2
jobs=${JOBS:-1}
folder=$(dirname "$program")/fuzzed
cd "$(dirname "$0")/.."
mkdir -p "$folder"
[ $# -gt 0 ] || set -- config override model npy pgm records pattern

# The keys and names of configs and records, and what else a reader looks for.
cat configs/schema.json tests/fuzz/corpora/records/* | grep -oE '"[a-z_][a-z0-9_]*"' | sort -u |
  sed 's/"\(.*\)"/"\\"\1\\""/' | cat tests/fuzz/words.dict - > "$folder/words.dict"

corpora_of() {
  for place in "tests/fuzz/corpora/$1" $(sed -n "s/^$1 //p" tests/fuzz/seeds.txt); do
    [ ! -d "$place" ] || echo "$place"
  done
}

# No leak detection: the host's drivers and libgomp's threads never free their memory.
# -entropic and -reduce_inputs would take more time than the readers.
run_target() {
  OMP_NUM_THREADS=1 ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=4:malloc_context_size=1 "$program" \
    --target="$1" -runs="$(((runs + jobs - 1) / jobs))" -seed="$2" -max_len=4096 -timeout=10 -rss_limit_mb=512 \
    -entropic=0 -reduce_inputs=0 -dict="$folder/words.dict" -print_final_stats=1 \
    -artifact_prefix="$folder/findings/$1-" "$folder/$1" $(corpora_of "$1") > "$folder/$1-$2.log" 2>&1
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
