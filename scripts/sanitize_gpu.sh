#!/bin/sh
# scripts/sanitize_gpu.sh REDBENCH OUT [REGEX ...]: runs all kernels on a GPU under the four tools of compute-sanitizer, on
# the small battery (`redbench verify --small`). Each REGEX selects the variants of one process, by default those of a
# problem or a few; JOBS (4) processes run at a time. A process leaves OUT/TOOL_NUMBER.txt, the output of verify, and .log,
# that of the tool; OUT/summary.txt has a line for each. Exit code 1: a tool reported an error, a case failed, no case ran,
# or a process left no line or no summary of its tool.
#
# Not counted as errors: failing CUDA calls, as redbench probes whether a block fits and checks each call itself;
# racecheck's reports on two `relaxed_store` (kernels/contract/cuda_language.hpp), which do not race; and those on warps
# that take turns (turns.hpp, turn_scan.hpp), as racecheck does not see that an arrival at a named barrier orders what was
# done before it (results/h200/tests/arrival.txt).
set -u
if [ $# -lt 2 ]; then
  echo 'sanitize_gpu.sh REDBENCH OUT [REGEX ...]' >&2
  exit 2
fi
if [ "$1" = --one ]; then # TOOL NUMBER REGEX, with redbench and out in the environment
  log=$out/$2_$3
  begun=$(date +%s)
  rm -f "$log".[0-9]* # of a run that was ended
  compute-sanitizer --tool "$2" --target-processes all --report-api-errors no --print-limit 100000 --log-file "$log.%p" \
    "$redbench" verify --device cuda --small --variants "$4" > "$log.txt" 2>&1
  code=$?
  cat "$log".[0-9]* > "$log.log" 2> /dev/null
  rm -f "$log".[0-9]*
  # racecheck: a report has two or more lines, each of which names an access. Other tools: their summary line.
  counts=$(awk '
    function end() {
      if (accesses) { if (accesses == relaxed) stores++; else if (turns) in_turns++; else found++ }
      accesses = relaxed = turns = 0
    }
    /(Read|Write) access at/ {
      if (/Race reported/) end()
      accesses++
      if (/relaxed_store/) relaxed++
      if (/ in (turns|turn_scan)\.hpp:/) turns++
    }
    / ERROR SUMMARY:/ { sums++; found += $4 }
    / RACECHECK SUMMARY:/ { sums++; end(); hazards += $4 }
    END { if (hazards > found + stores + in_turns) found = hazards - stores - in_turns
          if (!sums) printf "no sum of the tool"
          else printf "%d findings%s%s", found, stores ? ", " stores " pairs of relaxed stores" : "",
                      in_turns ? ", " in_turns " of turns" : "" }' "$log.log")
  echo "$2 $4: exit code $code, $counts, $(grep -E '^[0-9]+ passed' "$log.txt" || echo 'no cases')," \
    "$(($(date +%s) - begun)) s"
  exit 0
fi
if ! command -v compute-sanitizer > /dev/null; then
  echo 'sanitize_gpu.sh: no compute-sanitizer on the PATH; it comes with the CUDA toolkit' >&2
  exit 2
fi
export redbench="$1" out="$2"
case $out in -*) out=./$out ;; esac
shift 2
[ $# -gt 0 ] || set -- ^reduce/ ^segreduce/ ^triple_reduce/ ^histogram/ ^multireduce/ ^multiscan/ ^multisplit/ ^segscan/ \
  '^(scatter|gather|vector_reduce|minimal|vector_scan)/'
mkdir -p "$out" && : > "$out/summary.txt" || exit 2
for tool in memcheck racecheck initcheck synccheck; do
  number=0
  for regex in "$@"; do
    number=$((number + 1))
    printf '%s\0%s\0%s\0' "$tool" "$number" "$regex"
  done
done | xargs -0 -n 3 -P "${JOBS:-4}" sh "$0" --one | tee "$out/summary.txt"
clean=$(grep -cE 'exit code 0, 0 findings,( [0-9]+ pairs of relaxed stores,)?( [0-9]+ of turns,)? [1-9][0-9]* passed, 0 failed' "$out/summary.txt")
echo "$clean of $((4 * $#)) processes are clean"
[ "$clean" -eq $((4 * $#)) ]
