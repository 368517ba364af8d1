#!/bin/sh
# Installs what the build and the plots need and this machine lacks: Debian packages by apt, also those named as
# arguments, and Python packages in .venv. Does nothing where everything is installed. Called by `make demo` and `make test`.
set -eu
cd "$(dirname "$0")/.."

packages="g++ make cmake ninja-build pkg-config git python3 python3-venv libfmt-dev nlohmann-json3-dev libcli11-dev
libboost-context-dev libdw-dev libre2-dev libssl-dev zlib1g-dev libgtest-dev libgmock-dev xz-utils $*"

missing=""
for package in $packages; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
if [ -n "$missing" ]; then
  echo "Installing:$missing"
  sudo=""
  if [ "$(id -u)" -ne 0 ]; then sudo="sudo"; fi
  $sudo apt-get update -qq
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $missing
fi

stamp=.venv/requirements.txt
if ! cmp -s scripts/requirements.txt "$stamp"; then
  python3 -m venv --clear .venv
  .venv/bin/python -m pip install --quiet --disable-pip-version-check -r scripts/requirements.txt
  # Only its images are needed, so it comes without dependencies.
  .venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps scikit-image==0.26.0
  cp scripts/requirements.txt "$stamp"
fi
