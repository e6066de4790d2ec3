#!/usr/bin/env bash
# docker/secrets.sh [FOLDER]: creates the missing secrets of the compose files, with random values, one file
# per secret. Only you can enter the folder (default: SECRETS, else ./secrets).
set -euo pipefail
folder=${1:-${SECRETS:-secrets}}
compose=$(dirname "${BASH_SOURCE[0]}")/../docker-compose

mkdir -p "$folder"
chmod 700 "$folder"
while read -r name; do
  [ -s "$folder/$name" ] && continue
  # The secret has 48 hexadecimal digits. The file is readable by all users, because the containers read it as
  # different users, so only the permissions of the folder protect it.
  od -An -N24 -v -tx1 /dev/urandom | tr -d ' \n' >"$folder/$name.new"
  chmod 644 "$folder/$name.new"
  mv "$folder/$name.new" "$folder/$name"
  echo "$folder/$name"
done < <(sed -n '/^secrets:/,/^$/s/^  \([a-z_]*\):.*/\1/p' "$compose".yml "$compose.monitoring.yml")
