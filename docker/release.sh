#!/usr/bin/env bash
# docker/release.sh IMAGE: builds and pushes IMAGE:X.Y.Z from the tag vX.Y.Z that this checkout stands on, as in
# docker/release.sh registry.example/product-catalogue. It refuses where anything says another version, where the
# changelog leaves out what an operator must know, and where the registry has the tag: the same number is the same image.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
image=${1:?name the image, such as registry.example/product-catalogue}

findings=()
finding() { findings+=("$1"); }

tag=$(git describe --tags --exact-match --match 'v[0-9]*' 2>/dev/null) || {
  echo 'release: this commit has no tag vX.Y.Z' >&2
  exit 1
}
version=${tag#v}
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9a-z.]+)?$ ]] || finding "$tag is no version such as v1.2.3"
[ -z "$(git status --porcelain)" ] || finding 'the checkout is not as it was committed'

# says FILE PATTERN: its first capture, which is to be the version.
says() {
  local found
  found=$(sed -nE "s|$2|\\1|p" "$1" | head -n 1)
  [ "$found" = "$version" ] || finding "$1 says ${found:-nothing}, not $version"
}
says package.json '^  "version": "([^"]+)",?$'
says package-lock.json '^  "version": "([^"]+)",?$'
says docker-compose.yml '^  image: product-catalogue:\$\{VERSION:-([^}]+)\}$'
says charts/product-catalogue/Chart.yaml "^appVersion: '?([^' ]+)'?$"

# What stands under the heading of this version.
notes=$(awk -v heading="## $version" '
  /^## / { on = index($0, heading) == 1 && substr($0, length(heading) + 1) !~ /^[0-9a-z.-]/; next }
  on' CHANGELOG.md)
schema_of() { sed -nE 's/^ *"schema_version": ([0-9]+),?$/\1/p'; }
if [ -z "$notes" ]; then finding "CHANGELOG.md has nothing under \"## $version\""; fi
if previous=$(git describe --tags --abbrev=0 --match 'v[0-9]*' HEAD^ 2>/dev/null); then
  before=$(git show "$previous:mappings/products.json" | schema_of)
  now=$(schema_of <mappings/products.json)
  if [ "$before" != "$now" ] && ! grep -qi 'needs a reindex' <<<"$notes"; then
    finding "CHANGELOG.md does not say \"Needs a reindex\", and $previous has schema $before, this has $now"
  fi
  grep -qi 'can go back to' <<<"$notes" || finding 'CHANGELOG.md does not say "Can go back to" which version'
fi
if docker manifest inspect "$image:$version" >/dev/null 2>&1; then
  finding "$image:$version is there already: tags are never moved"
fi

if [ "${#findings[@]}" -gt 0 ]; then
  printf 'release: %s\n' "${findings[@]}" >&2
  exit 1
fi
docker build --pull --tag "$image:$version" \
  --label "org.opencontainers.image.version=$version" --label "org.opencontainers.image.revision=$(git rev-parse HEAD)" .
docker push "$image:$version"
