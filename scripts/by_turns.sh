#!/bin/sh
# scripts/by_turns.sh OLD NEW FOLDER CONFIG ...: whether a refactoring changed a time. OLD and NEW are the build folders of
# the source before and after. Both programs run each config on one GPU by turns, twice: FOLDER/CONFIG/before_1, after_1,
# before_2 and after_2. The records of OLD are carried over (scripts/carry_records.py) so that they can be compared: the two
# programs should differ no more than each differs from itself. RUN_FLAGS are passed to `redbench run`; PYTHON is python3
# unless it is set. A case that fails, or that is not proven to run the same code, is listed and left out.
set -eu
if [ $# -lt 4 ]; then
  echo 'by_turns.sh OLD NEW FOLDER CONFIG ...' >&2
  exit 2
fi
old=$1
new=$2
folder=$3
shift 3
here=$(dirname "$0")
for config in "$@"; do
  name=${config#configs/}
  run=$folder/${name%.json}
  for turn in 1 2; do
    for side in before after; do
      build=$new
      [ "$side" = after ] || build=$old
      # shellcheck disable=SC2086 # several flags
      "$build/redbench" run "$config" --device cuda -q --out "$run/${side}_$turn" ${RUN_FLAGS-} || [ $? -eq 1 ]
    done
  done
  "${PYTHON:-python3}" "$here/carry_records.py" "$old" "$new" "$run/before_1" "$run/before_2" --device cuda --write ||
    [ $? -eq 1 ]
  for pair in "before_1 before_2" "after_1 after_2" "before_1 after_1" "before_2 after_2"; do
    compared=$("$new/redbench" compare "$run/${pair% *}" "$run/${pair#* }") || true
    printf '%s, %s: %s\n' "$config" "$pair" "$(printf '%s\n' "$compared" | tail -n 1)"
  done
done
