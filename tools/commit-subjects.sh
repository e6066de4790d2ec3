#!/usr/bin/env bash
# Fails if the subject of one of the last 200 commits is longer than 72 characters, and prints it.
set -euo pipefail
git log --no-merges --max-count=200 --format=%s | awk 'length($0) > 72 { print "Too long: " $0; wrong = 1 } END { exit wrong }'
