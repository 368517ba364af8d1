#!/bin/sh
# scripts/bundle.sh BUILD FILE.tar.xz [PROGRAM ...]: packs programs of BUILD (redbench where none is named), their shared
# libraries and all that `cmake --install` adds, for a GPU machine that has neither a compiler nor those libraries. The
# programs keep their symbols and lose their debug information. Kernels of your own are in it where BUILD has them
# (cmake -DREDBENCH_KERNELS=FOLDER). FILE unpacks as a folder of its name, with bin/ and share/.
set -eu
build=$1
file=$2
shift 2
name=$(basename "$file" .tar.xz)
if [ "$name" = "$(basename "$file")" ]; then
  echo "bundle.sh: $file: expected a name that ends in .tar.xz" >&2
  exit 2
fi
[ $# -gt 0 ] || set -- redbench
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
folder=$stage/$name
data=$folder/share/redbench
cmake --install "$build" --prefix "$folder" > /dev/null
cp scripts/measure_all.sh scripts/sanitize_gpu.sh scripts/test_gpu.sh "$data/scripts/"
if [ -d samples ]; then cp -r samples "$data/"; fi
mkdir "$folder/lib"
for path in "$@"; do
  program=$(basename "$path")
  strip --strip-debug -o "$folder/lib/$program" "$build/$path"
  # The C library and the C++ and OpenMP runtimes are those of the machine that runs it.
  ldd "$build/$path" | awk '$3 ~ "^/" {print $3}' |
    grep -vE '/(libc|libm|libpthread|libdl|librt|ld-linux|libstdc\+\+|libgcc_s|libgomp)[.-]' |
    xargs -I{} cp -L {} "$folder/lib/"
  cat > "$folder/bin/$program" <<'EOF'
#!/bin/sh
here=$(cd "$(dirname "$0")/../lib" && pwd)
LD_LIBRARY_PATH=$here${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} exec "$here/$(basename "$0")" "$@"
EOF
  chmod +x "$folder/bin/$program"
done
tar -C "$stage" -cf - "$name" | xz --lzma2=preset=2,dict=256MiB > "$file"
echo "$file: $(du -h "$file" | cut -f1)"
