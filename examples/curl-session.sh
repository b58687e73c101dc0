#!/usr/bin/env bash
set -euo pipefail
session=$(curl -s -o /dev/null -D - "$BASE_URL/chat/completions" \
  -H "Authorization: Bearer $API_KEY" -H "Content-Type: application/json" \
  -d '{"model": "service", "messages": [{"role": "user", "content": "What is a beinoni?"}]}' |
  sed -n 's/^x-service-session-id: \([a-zA-Z0-9_]*\).*/\1/p')

curl -s "$BASE_URL/chat/completions" \
  -H "Authorization: Bearer $API_KEY" -H "Content-Type: application/json" \
  -d '{"model": "service", "x_service": {"session_id": "'"$session"'"},
       "messages": [{"role": "user", "content": "And what is a tzaddik?"}]}'

curl -s "$BASE_URL/agent/sessions/$session/messages" -H "Authorization: Bearer $API_KEY"
