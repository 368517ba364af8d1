#!/bin/sh
# scripts/bundle.sh BUILD FOLDER [PROGRAM ...]: puts programs of BUILD (redbench where none is named) with the shared
# libraries they need, stripped, into FOLDER, so that they run on a GPU machine that has neither a compiler nor those
# libraries: FOLDER/redbench.
set -eu
build=$1
folder=$2
shift 2
[ $# -gt 0 ] || set -- redbench
rm -rf "$folder"
mkdir -p "$folder/lib"
for program in "$@"; do
  name=$(basename "$program")
  strip -o "$folder/lib/$name" "$build/$program"
  # The C library and the C++ and OpenMP runtimes are those of the machine that runs it.
  ldd "$build/$program" | awk '$3 ~ "^/" {print $3}' |
    grep -vE '/(libc|libm|libpthread|libdl|librt|ld-linux|libstdc\+\+|libgcc_s|libgomp)[.-]' |
    xargs -I{} cp -L {} "$folder/lib/"
  cat > "$folder/$name" <<EOF
#!/bin/sh
here=\$(cd "\$(dirname "\$0")" && pwd)
LD_LIBRARY_PATH=\$here/lib\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH} exec "\$here/lib/$name" "\$@"
EOF
  chmod +x "$folder/$name"
done
du -sh "$folder" | cut -f1
