#!/usr/bin/env bash
set -euo pipefail
curl -si "$BASE_URL/chat/completions" \
  -H "Authorization: Bearer $API_KEY" -H "Content-Type: application/json" \
  -d '{"model": "service", "n": 2, "messages": [{"role": "user", "content": "What is bittul?"}]}'
