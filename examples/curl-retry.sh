#!/usr/bin/env bash
set -euo pipefail
for attempt in 1 2; do
  curl -si "$BASE_URL/chat/completions" \
    -H "Authorization: Bearer $API_KEY" -H "Content-Type: application/json" \
    -H "Idempotency-Key: question-1" \
    -d '{"model": "service", "messages": [{"role": "user", "content": "What is simcha?"}]}'
done
