#!/usr/bin/env bash
set -euo pipefail
# The texts of the community: each import can be repeated and changes only what has changed.
npm run -s service -- sources import markdown examples/community/guests.md
npm run -s service -- sources import jsonl examples/community/lessons.jsonl
npm run -s service -- sources search "guest" --limit 1

# One account and one key for each member.
npm run -s service -- accounts create --email leah@example.org --plan basic
npm run -s service -- keys create --account leah@example.org --name phone
