#!/usr/bin/env bash
# docker/release.sh [--dry-run] IMAGE: builds and pushes IMAGE:X.Y.Z from this commit, as in docker/release.sh
# registry.example/product-catalogue, and then gives the commit the annotated tag vX.Y.Z; X.Y.Z is the version in
# package.json. It fails if another file states another version, if the changelog lacks what operators must know, or if git
# or the registry already has the tag, because a version is always the same commit and image. --dry-run performs all
# checks, and does not build, push or tag.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
usage='usage: docker/release.sh [--dry-run] IMAGE, with an image such as registry.example/product-catalogue'
dry=
if [ "${1:-}" = --dry-run ]; then
  dry=1
  shift
fi
if [ $# -ne 1 ] || [[ $1 = -* ]]; then
  echo "$usage" >&2
  exit 2
fi
image=$1

findings=()
finding() { findings+=("$1"); }

revision=$(git rev-parse HEAD)
version=$(sed -nE 's/^  "version": "([^"]+)",?$/\1/p' package.json)
tag=v$version
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+(-[0-9a-z.]+)?$ ]] || finding "package.json has no version such as 1.2.3: $version"
[ -z "$(git status --porcelain)" ] || finding 'the checkout is not as it was committed'
if tagged=$(git rev-parse --quiet --verify "refs/tags/$tag^{commit}"); then
  finding "$tag is there already, at $tagged: tags are never moved; release the next version"
fi
# An annotated tag needs an author, so this is checked before anything is pushed.
git var GIT_COMMITTER_IDENT >/dev/null 2>&1 || finding 'git does not know who you are: set user.name and user.email'

# says FILE PATTERN: prints the first capture, which must be the version.
says() {
  local found
  found=$(sed -nE "s|$2|\\1|p" "$1" | head -n 1)
  [ "$found" = "$version" ] || finding "$1 says ${found:-nothing}, not $version"
}
says package-lock.json '^  "version": "([^"]+)",?$'
says docker-compose.yml '^  image: product-catalogue:\$\{VERSION:-([^}]+)\}$'
says charts/product-catalogue/Chart.yaml "^appVersion: '?([^' ]+)'?$"

# The text under the heading of this version.
notes=$(awk -v heading="## $version" '
  /^## / { on = index($0, heading) == 1 && substr($0, length(heading) + 1) !~ /^[0-9a-z.-]/; next }
  on' CHANGELOG.md)
schema_of() { grep -oE '"schema_version": *[0-9]+' | grep -oE '[0-9]+$'; }
if [ -z "$notes" ]; then finding "CHANGELOG.md has nothing under \"## $version\""; fi
if previous=$(git describe --tags --abbrev=0 --match 'v[0-9]*' 2>/dev/null); then
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
if [ -n "$dry" ]; then
  echo "release: $revision would be built and pushed as $image:$version, and tagged $tag"
  exit 0
fi
docker build --pull --tag "$image:$version" --build-arg "REVISION=$revision" \
  --label "org.opencontainers.image.version=$version" .
docker push "$image:$version"
# The tag comes last, so that a failed build or push can be repeated.
git tag --annotate --message "Version $version" "$tag" "$revision"
echo "release: $image:$version is pushed and $revision is tagged; publish the tag with: git push origin $tag"
