#!/usr/bin/env bash
# docker/pin.sh: resolves the image tags of docker-compose.yml and the Dockerfile to digests, and writes them to
# docker-compose.pinned.yml, which comes last in COMPOSE_FILE, and to NODE_DIGEST for the Dockerfile. Review the changes
# before you commit them. It needs Docker with buildx and access to the registries.
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
