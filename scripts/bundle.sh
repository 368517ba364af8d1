#!/bin/sh
# scripts/bundle.sh BUILD FOLDER: puts the program with the shared libraries it needs, stripped, into FOLDER, so that
# it runs on a GPU machine that has neither a compiler nor those libraries: FOLDER/redbench. Run it in the source tree
# that BUILD was made from: the bundle tells its records the commit.
set -eu
build=$1
folder=$2
rm -rf "$folder"
mkdir -p "$folder/lib"
strip -o "$folder/lib/redbench" "$build/redbench"
# The C library and the C++ and OpenMP runtimes are those of the machine that runs it.
ldd "$build/redbench" | awk '$3 ~ "^/" {print $3}' |
  grep -vE '/(libc|libm|libpthread|libdl|librt|ld-linux|libstdc\+\+|libgcc_s|libgomp)[.-]' |
  xargs -I{} cp -L {} "$folder/lib/"
commit=$(git describe --always --dirty --abbrev=12 2>/dev/null || echo unknown)
cat > "$folder/redbench" <<EOF
#!/bin/sh
here=\$(cd "\$(dirname "\$0")" && pwd)
export REDBENCH_COMMIT=$commit
LD_LIBRARY_PATH=\$here/lib\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH} exec "\$here/lib/redbench" "\$@"
EOF
chmod +x "$folder/redbench"
du -sh "$folder" | cut -f1
