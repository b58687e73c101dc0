#!/usr/bin/env bash
set -euo pipefail
run=$(curl -s -o /dev/null -D - "$BASE_URL/chat/completions" \
  -H "Authorization: Bearer $API_KEY" -H "Content-Type: application/json" \
  -d '{"model": "service", "x_service": {"background": true},
       "messages": [{"role": "user", "content": "What is bittul?"}]}' |
  sed -n 's/^x-service-run-id: \([a-zA-Z0-9_]*\).*/\1/p')

# Follow it to its end, then read what came of it.
curl -sN "$BASE_URL/agent/runs/$run/events?starting_after=0" -H "Authorization: Bearer $API_KEY"
curl -s "$BASE_URL/agent/runs/$run" -H "Authorization: Bearer $API_KEY"
