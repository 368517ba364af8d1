#!/bin/sh
# Installs Chromium for the tests of the report, where this machine has no browser and its packages have one (Debian's do;
# Ubuntu's is a snap). Without a browser those tests are skipped with a message; with REDBENCH_NEEDS_BROWSER=1 they fail.
# Called by `make test`.
set -eu
for name in "${REDBENCH_BROWSER:-chromium}" chromium chromium-browser google-chrome google-chrome-stable; do
  if command -v "$name" >/dev/null 2>&1; then exit 0; fi
done

sudo=""
if [ "$(id -u)" -ne 0 ]; then sudo="sudo"; fi
known() { apt-cache show chromium 2>/dev/null | grep -q '^Version'; }
known || $sudo apt-get update -qq || true
if known; then
  echo "Installing: chromium"
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends chromium && exit 0
fi
echo "No Chromium is found, nor can it be installed: the report is not tested in a browser" >&2
