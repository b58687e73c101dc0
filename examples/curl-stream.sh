#!/usr/bin/env bash
set -euo pipefail
curl -sN "$BASE_URL/chat/completions" \
  -H "Authorization: Bearer $API_KEY" -H "Content-Type: application/json" \
  -d '{"model": "service", "stream": true, "stream_options": {"include_usage": true},
       "messages": [{"role": "user", "content": "What is bittul?"}]}'
