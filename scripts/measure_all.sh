#!/usr/bin/env bash
# scripts/measure_all.sh PROGRAM FOLDER [CONFIG ...] [-- OPTION ...]: runs each config (by default all of configs/) on the GPU
# into FOLDER/<config name>; options go to `run`. The same command goes on after an interruption. After a failure the next
# config runs; the exit code is the worst. REDBENCH_SECONDS ends it after so long, with 124 where something is left.
# Several GPUs, as in REDBENCH_GPUS="0 1 2 3", each take the next config when they are free, so that each config is whole on
# one of them: put long ones first. FOLDER/taken says which, and has what the runs print; it is yours to remove. The CPU's
# algorithms, which would be timed beside other runs, are then left out (of chapter 2 nothing is left, which is exit code
# 2): the same command with one GPU makes those of the configs that this GPU began.
set -u
program=$1 folder=$2
shift 2
configs=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  configs+=("$1")
  shift
done
options=("${@:2}")
if [ ${#configs[@]} -eq 0 ]; then
  for config in configs/{quick,large,f16,histogram,labels,multiscan}.json configs/*/*.json; do
    [[ $config =~ ^configs/(best|claims|devices)/ ]] || configs+=("$config")
  done
fi
read -ra gpus <<<"${REDBENCH_GPUS:-0}"
end=$(($(date +%s) + ${REDBENCH_SECONDS:-100000000}))
cores=$(($(nproc) / ${#gpus[@]}))

# Runs $config on $gpu, behind the words of $pin. 124 where the time is over.
run_config() {
  local left=$((end - $(date +%s))) name=${config#configs/}
  [ "$left" -gt 10 ] || return 124
  "${pin[@]}" timeout --foreground --signal INT "$left" "$program" run "$config" --device "cuda:$gpu" \
    --out "$folder/${name%.json}" --resume "${only[@]}" "${options[@]}"
}

keep_worst() { [ "$1" -le "$worst" ] || worst=$1; }

# The configs that one of several GPUs has begun, then those that nobody has.
lane() {
  local gpu=$1 pin=() only=(--variants '/([^c]|c[^p])') worst=0
  [ "$cores" -eq 0 ] || pin=(taskset -c "$(($2 * cores))-$(($2 * cores + cores - 1))")
  for pass in begun new; do
    for config in "${configs[@]}"; do
      local name=${config#configs/} start code
      local taken=$folder/taken/${name//\//_}
      if [ $pass = new ]; then
        mkdir -p "$taken"
        (set -C && echo "$gpu" >"$taken/gpu") 2>/dev/null || continue
      elif [ "$(cat "$taken/gpu" 2>/dev/null)" != "$gpu" ] || [ -e "$taken/ended" ]; then
        continue
      fi
      start=$(date +%s)
      run_config >"$taken/log" 2>&1
      code=$?
      echo "== $config: cuda:$gpu, exit $code after $(($(date +%s) - start)) s: $(tail -n 1 "$taken/log")"
      [ $code -ne 0 ] || : >"$taken/ended"
      keep_worst $code
    done
  done
  exit "$worst"
}

worst=0
if [ ${#gpus[@]} -eq 1 ]; then
  gpu=${gpus[0]} pin=() only=()
  for config in "${configs[@]}"; do
    echo "== $config: cuda:$gpu"
    run_config
    code=$?
    echo "== $config: exit $code"
    keep_worst $code
  done
  exit "$worst"
fi
lanes=()
for place in "${!gpus[@]}"; do
  lane "${gpus[place]}" "$place" &
  lanes+=($!)
done
for begun in "${lanes[@]}"; do
  wait "$begun"
  keep_worst $?
done
for config in "${configs[@]}"; do
  name=${config#configs/}
  taken=$folder/taken/${name//\//_}
  if ! [ -e "$taken/ended" ] && of=$(cat "$taken/gpu" 2>/dev/null) && [[ " ${gpus[*]} " != *" $of "* ]]; then
    echo "== $config: left to cuda:$of, which began it"
    keep_worst 1
  fi
done
exit "$worst"
