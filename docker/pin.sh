#!/usr/bin/env bash
# docker/pin.sh: asks the registries which images the tags of docker-compose.yml and the Dockerfile mean now, and writes
# them down by digest: docker-compose.pinned.yml, to be named last in COMPOSE_FILE, and NODE_DIGEST for the Dockerfile.
# Look through the difference before you keep it. It needs Docker with buildx, and the registries.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out=docker-compose.pinned.yml

digest_of() { docker buildx imagetools inspect --format '{{.Manifest.Digest}}' "$1"; }

services=$(docker compose config --format json |
  node -e '
    const { services } = JSON.parse(require("fs").readFileSync(0, "utf8"));
    for (const [name, { image }] of Object.entries(services))
      if (!image.startsWith("product-catalogue:")) console.log(name, image.replace(/@.*/, ""));
  ')
node_version=$(sed -n 's/^ARG NODE_VERSION=//p' Dockerfile)
{
  echo '# Made by docker/pin.sh; run it again after a tag has changed.'
  echo 'services:'
  while read -r name image; do
    echo "  $name: { image: '$image@$(digest_of "$image")' }"
  done <<<"$services"
  echo "  api: { build: { args: { NODE_DIGEST: '@$(digest_of "node:$node_version-bookworm-slim")' } } }"
} >"$out.new"
mv "$out.new" "$out"
echo "$out: put it last into COMPOSE_FILE, as in COMPOSE_FILE=docker-compose.yml:$out"
