#!/usr/bin/env bash
set -euo pipefail
curl -s "$BASE_URL/chat/completions" \
  -H "Authorization: Bearer $API_KEY" -H "Content-Type: application/json" \
  -d '{
    "model": "service",
    "messages": [{"role": "user", "content": "What is the Hebrew date today, and what is studied on it?"}],
    "tools": [{
      "type": "function",
      "function": {
        "name": "hebrew_date",
        "description": "The Hebrew date of today",
        "parameters": {"type": "object", "properties": {}}
      }
    }]
  }'
