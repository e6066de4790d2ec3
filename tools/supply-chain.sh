#!/usr/bin/env bash
# Checks the npm packages: npm's security advisories and signatures, and the known vulnerabilities that OSV lists for the
# packages of the SBOM. A check whose server is unavailable is reported as left out and is not a failure. Before a release,
# run this where all servers are available.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

OSV=https://api.osv.dev
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
left_out=0

passed() { printf '%s: passed\n' "$1"; }
failed() { printf '%s: FAILED\n' "$1"; cat "$work/output"; failed=1; }
leave_out() { printf '%s: left out, %s\n' "$1" "$2"; left_out=1; }

# The pattern of errors which mean that the registry does not offer the check or is unavailable.
unavailable='404|405|501|ENOTFOUND|ECONNREFUSED|EAI_AGAIN|ETIMEDOUT|endpoint|not supported|No registry signing keys|no dependencies to audit'
check_npm() {
  local name=$1
  shift
  if npm --loglevel error "$@" >"$work/output" 2>&1; then passed "$name"
  elif grep -qE "$unavailable" "$work/output"; then
    leave_out "$name" "the registry does not answer: $(grep -E "$unavailable" "$work/output" | head -n 1)"
  else failed "$name"; fi
}
check_npm 'npm audit' audit --omit=dev --audit-level=low
check_npm 'npm audit signatures' audit signatures

if npm run --silent sbom >"$work/sbom.cdx.json" 2>"$work/output" &&
  node -e '
    const { readFileSync, writeFileSync } = require("node:fs");
    const { components } = JSON.parse(readFileSync(process.argv[1], "utf8"));
    // npm sbom --omit dev also leaves out packages that production and development share (npm/cli#7909).
    const isDev = ({ name }) => name === "cdx:npm:package:development";
    const production = components.filter(({ properties = [] }) => !properties.some(isDev));
    console.log(`SBOM: ${components.length} packages, ${production.length} of them for production`);
    const queries = production.map(({ purl }) => ({ package: { purl } }));
    writeFileSync(process.argv[2], JSON.stringify({ queries }));
  ' "$work/sbom.cdx.json" "$work/osv.json" 2>>"$work/output"; then passed 'SBOM'
else failed 'SBOM'; fi

if [ ! -s "$work/osv.json" ]; then leave_out 'OSV' 'there is no SBOM to check'
elif ! curl --silent --show-error --fail --max-time 60 --header 'Content-Type: application/json' \
  --data "@$work/osv.json" --output "$work/answer.json" "$OSV/v1/querybatch" 2>"$work/output"; then
  leave_out 'OSV' "$OSV does not answer: $(head -n 1 "$work/output")"
elif node -e '
    const { readFileSync } = require("node:fs");
    const [queried, answer] = process.argv.slice(1).map((file) => JSON.parse(readFileSync(file, "utf8")));
    const found = answer.results.flatMap(({ vulns = [] }, i) =>
      vulns.map(({ id }) => `${queried.queries[i].package.purl}: https://osv.dev/${id}`));
    console.log(found.join("\n"));
    process.exitCode = found.length > 0 ? 1 : 0;
  ' "$work/osv.json" "$work/answer.json" >"$work/output" 2>&1; then passed 'OSV'
else failed 'OSV'; fi

[ "$left_out" -eq 0 ] || echo 'At least one check was skipped, so the result is incomplete.'
exit "$failed"
