#!/usr/bin/env bash
# Runs as root before Elasticsearch starts. Creates, once, the private authority and the certificate of all nodes, sets
# their permissions, and copies the password of Elasticsearch into a file that it accepts. The key of the authority never
# leaves the volume of the certificates; clients see only its certificate.
#
# With an argument, it changes the certificates while everything runs (docs/operations.md, "Certificates of Elasticsearch"):
#   renew             issues a new certificate for the nodes
#   add-authority     creates a new authority, which is trusted in addition to the previous one and issues all later certificates
#   remove-authority  trusts only the newest authority
set -euo pipefail
umask 077
action=${1:-}
# These variables are set only by tests.
root=${PREPARE_ROOT:-}
certutil=${PREPARE_CERTUTIL:-/usr/share/elasticsearch/bin/elasticsearch-certutil}
certificates=$root/certificates
authority=$root/authority
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  echo "prepare: $*" >&2
  exit 1
}

# newest_authority: prints the last certificate authority in the file, which is the one that issues
# certificates.
newest_authority() {
  awk '/-----BEGIN CERTIFICATE-----/ { text = "" } { text = text $0 "\n" } END { printf "%s", text }' "$certificates/ca.crt"
}

count_authorities() {
  grep -c -- '-----BEGIN CERTIFICATE-----' "$certificates/ca.crt"
}

make_authority() {
  "$certutil" ca --silent --pem --days 3650 --ca-dn "CN=product-catalogue $(date -u +%Y%m%dT%H%M%SZ)" --out "$work/ca.zip"
  unzip -q "$work/ca.zip" -d "$work"
}

issue_certificate() {
  newest_authority >"$work/issuer.crt"
  "$certutil" cert --silent --pem --days 825 --name node \
    --ca-cert "$work/issuer.crt" --ca-key "$certificates/ca.key" \
    --dns localhost,elasticsearch,elasticsearch-2,elasticsearch-3 --ip 127.0.0.1 --out "$work/node.zip"
  unzip -q "$work/node.zip" -d "$work"
}

# put FILE NAME [MODE]: replaces the certificate file NAME in one step, so that no process reads a
# half-written file.
put() {
  chmod "${3:-640}" "$1"
  [ "$(id -u)" -ne 0 ] || chown root:0 "$1"
  cp --preserve=mode,ownership "$1" "$certificates/$2.new"
  mv "$certificates/$2.new" "$certificates/$2"
}

# publish: copies the certificates of the authorities to the volume that clients of Elasticsearch read.
publish() {
  cp "$certificates/ca.crt" "$authority/ca.crt.new"
  chmod 644 "$authority/ca.crt.new"
  mv "$authority/ca.crt.new" "$authority/ca.crt"
}

case $action in
  '')
    if [ ! -f "$certificates/node.crt" ]; then
      make_authority
      put "$work/ca/ca.crt" ca.crt
      put "$work/ca/ca.key" ca.key 600
      issue_certificate
      put "$work/node/node.key" node.key
      # The certificate is written last, because its existence means that the other files exist.
      put "$work/node/node.crt" node.crt
    fi
    ;;
  renew | add-authority | remove-authority)
    [ -f "$certificates/node.crt" ] || fail "there are no certificates yet; run it without an argument first"
    ;;&
  renew)
    issue_certificate
    put "$work/node/node.key" node.key
    put "$work/node/node.crt" node.crt
    echo "The nodes have a new certificate, which they read within five seconds."
    ;;
  add-authority)
    [ "$(count_authorities)" -eq 1 ] || fail "two authorities are trusted already; renew, then remove-authority"
    make_authority
    cat "$certificates/ca.crt" "$work/ca/ca.crt" >"$work/both.crt"
    put "$work/ca/ca.key" ca.key 600
    put "$work/both.crt" ca.crt
    echo "Both authorities are trusted. Start Kibana and the exporters anew, then renew."
    ;;
  remove-authority)
    [ "$(count_authorities)" -gt 1 ] || fail "only one authority is trusted; nothing to remove"
    [ "$certificates/node.crt" -nt "$certificates/ca.crt" ] ||
      fail "the nodes still have a certificate of the former authority; renew first"
    newest_authority >"$work/newest.crt"
    put "$work/newest.crt" ca.crt
    echo "The newest authority is trusted alone."
    ;;
  *) fail "unknown argument $action: renew, add-authority or remove-authority" ;;
esac
publish

# Without root, the script is run by a test, and owners are not changed.
[ "$(id -u)" -eq 0 ] || exit 0
# In its container, Elasticsearch runs as user 1000 of group 0.
chown -R root:0 "$certificates"
chmod 750 "$certificates"
chmod 640 "$certificates"/*
chmod 600 "$certificates/ca.key"
cp "$root/run/secrets/elastic_password" "$certificates/elastic_password"
chmod 400 "$certificates/elastic_password"
chown 1000:0 "$certificates/elastic_password"
chmod 755 "$authority"
chown 1000:0 "$root/snapshots"
chmod 770 "$root/snapshots"
