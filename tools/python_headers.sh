#!/usr/bin/env bash
# tools/python_headers.sh FOLDER: prints the folders of the headers of a Python from 3.12 on, separated by a semicolon.
# They are those of a Python of this machine, or Debian 13's, which are fetched into FOLDER; nothing is installed.
set -euo pipefail

folder=$(realpath -m "$1")

for python in python3 python3.12 python3.13 python3.14; do
  if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null; then
    include=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))')
    if [ -e "$include/pyconfig.h" ]; then
      echo "$include"
      exit
    fi
  fi
done

if [ ! -d "$folder/usr/include/python3.13" ]; then
  state=$folder/apt
  mkdir -p "$state/lists/partial" "$state/archives/partial"
  mirror=$(. /etc/os-release && apt-get indextargets --format '$(REPO_URI)' "Codename: $VERSION_CODENAME" 'Created-By: Packages')
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ${mirror%%$'\n'*} trixie main" >"$state/sources.list"
  options=(-qq -o Dir::Etc::SourceList="$state/sources.list" -o Dir::Etc::SourceParts=/dev/null
    -o Dir::State::Lists="$state/lists" -o Dir::Cache="$state" -o APT::Sandbox::User=root)
  apt-get "${options[@]}" update >&2
  (cd "$state" && apt-get "${options[@]}" download libpython3.13-dev >&2)
  dpkg-deb --extract "$state"/libpython3.13-dev_*.deb "$folder"
fi
echo "$folder/usr/include/python3.13;$folder/usr/include"
