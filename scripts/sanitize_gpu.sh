#!/bin/sh
# scripts/sanitize_gpu.sh REDBENCH OUT [REGEX ...]: all kernels on a GPU under the four tools of compute-sanitizer, on the
# small battery (`redbench verify --small`). REGEX: which variants a process takes, one for each problem where none is
# named; JOBS (4) processes run at a time. Each leaves OUT/TOOL_NUMBER.txt, what verify said, and .log, what the tool said;
# OUT/summary.txt has a line for each. Ends with 1 where a tool found something, a case failed or none ran.
set -u
if [ "$1" = --one ]; then # TOOL NUMBER REGEX, with redbench and out in the environment
  log=$out/$2_$3
  begun=$(date +%s)
  compute-sanitizer --tool "$2" --target-processes all --error-exitcode 9 --print-limit 20 --log-file "$log.%p" \
    "$redbench" verify --device cuda --small --variants "$4" > "$log.txt" 2>&1
  code=$?
  cat "$log".[0-9]* > "$log.log"
  rm "$log".[0-9]*
  errors=$(sed -n 's/.*ERROR SUMMARY: \([0-9]*\).*/\1/p; s/.*RACECHECK SUMMARY: \([0-9]*\).*/\1/p' "$log.log" |
    awk '{all += $1} END {print all + 0}')
  echo "$2 $4: exit code $code, $errors findings, $(grep -E '^[0-9]+ passed' "$log.txt" || echo 'no cases')," \
    "$(($(date +%s) - begun)) s"
  exit 0
fi
export redbench="$1" out="$2"
shift 2
[ $# -gt 0 ] || set -- ^reduce/ ^segreduce/ ^triple_reduce/ ^histogram/ ^multireduce/ ^multiscan/ ^segscan/ \
  '^(scatter|gather|vector_reduce|minimal|vector_scan)/'
mkdir -p "$out"
for tool in memcheck racecheck initcheck synccheck; do
  number=0
  for regex in "$@"; do
    number=$((number + 1))
    printf '%s\0%s\0%s\0' "$tool" "$number" "$regex"
  done
done | xargs -0 -n 3 -P "${JOBS:-4}" "$0" --one | tee "$out/summary.txt"
! grep -vE 'exit code 0, 0 findings, [1-9][0-9]* passed, 0 failed' "$out/summary.txt" > /dev/null
