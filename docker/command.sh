#!/bin/sh
# command.sh NAME [ARGUMENT...]: a command of docs/operations.md inside the image; `ingest feed.ndjson` is `npm run ingest -- feed.ndjson`.
set -eu
name=${1:?name a command: ingest, reindex, images, keys, kibana, evaluate, events}
shift
exec node "/app/dist/scripts/$name.js" "$@"
