# For run.sbatch and reproduce.sbatch. make_part FOLDER COMMAND...: the part of a plan that this task of an array job makes,
# with `redbench COMMAND --shard K/N --out ...`, on the node's own disk, from which it is copied to FOLDER/parts/K-of-N once,
# at the end. A task that is ended early, as where another preempts it, copies what it has, and goes on with it next time.
redbench=${REDBENCH:-build/redbench}

make_part() {
  number=$SLURM_ARRAY_TASK_ID
  count=${REDBENCH_PARTS:-$SLURM_ARRAY_TASK_COUNT}
  if [ -z "${REDBENCH_PARTS:-}" ] && [ "$SLURM_ARRAY_TASK_MIN-$SLURM_ARRAY_TASK_MAX" != "1-$count" ]; then
    echo "an array of N tasks is --array=1-N; to make some of N parts: REDBENCH_PARTS=N sbatch --array=3,7 ..." >&2
    exit 2
  fi
  kept=$1/parts/$number-of-$count
  shift
  disk=$(mktemp -d "${TMPDIR:-/tmp}/redbench.XXXXXX")
  trap 'rm -rf "$disk"' EXIT
  if [ -d "$kept" ]; then cp -R "$kept" "$disk/part"; fi
  if [ -n "${SLURM_CPUS_PER_TASK:-}" ]; then export OMP_NUM_THREADS="${OMP_NUM_THREADS:-$SLURM_CPUS_PER_TASK}"; fi
  # In the background: a shell runs a trap only after the command that it waits for.
  $redbench "$@" --shard "$number/$count" --out "$disk/part" &
  program=$!
  trap 'kill -TERM "$program" 2> /dev/null || true' TERM INT
  code=0
  wait "$program" || code=$?
  while kill -0 "$program" 2> /dev/null; do
    code=0
    wait "$program" || code=$?
  done
  if [ -d "$disk/part" ]; then keep "$disk/part" "$kept"; fi
  exit "$code"
}

# The copy is whole before it gets its name.
keep() {
  mkdir -p "$(dirname "$2")"
  rm -rf "$2.new" "$2.old"
  cp -R "$1" "$2.new"
  if [ -d "$2" ]; then mv "$2" "$2.old"; fi
  mv "$2.new" "$2"
  rm -rf "$2.old"
}
