#!/bin/sh
# scripts/report_results.sh PROGRAM FOLDER [MORE ...]: writes for runs that were measured elsewhere (results/h200) what
# `redbench reproduce` writes after its runs: FOLDER/claims.json and claims.md, the differences between the steps of
# ladders (why.json), FOLDER/report.html. The claims read MORE, too; the page has, of MORE, the modelled devices' runs alone:
# results/h100 results/simt-gtx480.
set -eu
program=$1
folder=$2
shift 2
here=$(dirname "$0")
"$program" claims "$folder" "$@" --json "$folder/claims.json" --md "$folder/claims.md" > /dev/null
for path in $(grep -l '"ladder": true' configs/*/*.json); do
  config=${path#configs/}
  config=${config%.json}
  "$program" why "$path" --device simt:h200 --results "$folder/$config" --json > "$folder/$config/why.json.new"
  mv "$folder/$config/why.json.new" "$folder/$config/why.json"
done
for more in "$@"; do
  shift
  case $more in simt* | */simt*) set -- "$@" "$more" ;; esac
done
set -- "$folder/slides" "$folder/sizmann2023" "$folder/luitjens2014" "$folder/martin2012" "$folder/eilers2014" "$@"
for run in fastest best/reduce; do # which is fastest, and the figure of all reductions
  [ ! -d "$folder/$run" ] || set -- "$folder/$run" "$@"
done
"${PYTHON:-python3}" "$here/make_report.py" --redbench "$program" --claims "$folder/claims.json" --best "$folder/best" \
  --title "Five papers on an H200" --output "$folder/report.html" "$@"
