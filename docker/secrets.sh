#!/usr/bin/env bash
# docker/secrets.sh [FOLDER]: makes the secrets of the compose files that are not there yet, random ones, as files that
# each container gets its own of. Nobody but you can enter the folder (default: SECRETS, else ./secrets).
set -euo pipefail
folder=${1:-${SECRETS:-secrets}}
compose=$(dirname "${BASH_SOURCE[0]}")/../docker-compose

mkdir -p "$folder"
chmod 700 "$folder"
while read -r name; do
  [ -s "$folder/$name" ] && continue
  # 48 letters and digits. Users of their own read them in their containers, so the folder alone shuts others out.
  od -An -N24 -v -tx1 /dev/urandom | tr -d ' \n' >"$folder/$name.new"
  chmod 644 "$folder/$name.new"
  mv "$folder/$name.new" "$folder/$name"
  echo "$folder/$name"
done < <(sed -n '/^secrets:/,/^$/s/^  \([a-z_]*\):.*/\1/p' "$compose".yml "$compose.monitoring.yml")
