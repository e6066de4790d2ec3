#!/usr/bin/env bash
# As root, before Elasticsearch starts: the private authority and the certificate of all its nodes, once, and who may
# read them. The authority's key never leaves the volume of the certificates; clients see its certificate alone. And
# Elasticsearch's password, as the file of its own that it asks for.
set -euo pipefail
umask 077
certutil=/usr/share/elasticsearch/bin/elasticsearch-certutil
work=$(mktemp -d)

if [ ! -f /certificates/node.crt ]; then
  "$certutil" ca --silent --pem --days 3650 --out "$work/ca.zip"
  unzip -q "$work/ca.zip" -d "$work"
  "$certutil" cert --silent --pem --days 825 --name node \
    --ca-cert "$work/ca/ca.crt" --ca-key "$work/ca/ca.key" \
    --dns localhost,elasticsearch,elasticsearch-2,elasticsearch-3 --ip 127.0.0.1 --out "$work/node.zip"
  unzip -q "$work/node.zip" -d "$work"
  cp "$work/ca/ca.crt" "$work/ca/ca.key" "$work/node/node.key" /certificates/
  # Last: it tells that the others are there.
  cp "$work/node/node.crt" /certificates/
fi

# Elasticsearch is user 1000 of group 0.
chown -R root:0 /certificates
chmod 750 /certificates
chmod 640 /certificates/*
chmod 600 /certificates/ca.key
cp /run/secrets/elastic_password /certificates/elastic_password
chmod 400 /certificates/elastic_password
chown 1000:0 /certificates/elastic_password
cp /certificates/ca.crt /authority/ca.crt
chmod 755 /authority
chmod 644 /authority/ca.crt
chown 1000:0 /snapshots
chmod 770 /snapshots
