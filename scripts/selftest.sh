#!/bin/sh
# scripts/selftest.sh PROGRAM FOLDER: on a machine with a GPU, compares four runs of configs/selftest.json with each other, in
# FOLDER (results/h200/selftest): a to d, selftest.json and selftest.md. It takes three minutes on an H200, and resumes
# after an interruption. The figure: `redbench compare FOLDER/a FOLDER/b --json FILE`, scripts/plot_compare.py FILE.
set -eu
program=$1
folder=$2
"$program" selftest configs/selftest.json --device cuda --runs 4 --out "$folder" --resume
"$program" compare "$folder/a" "$folder/b"
