#!/usr/bin/env bash
set -euo pipefail
curl -s "$BASE_URL/chat/completions" \
  -H "Authorization: Bearer $API_KEY" -H "Content-Type: application/json" \
  -d '{
    "model": "service",
    "messages": [{"role": "user", "content": "What is bittul?"}],
    "response_format": {
      "type": "json_schema",
      "json_schema": {
        "name": "answer",
        "schema": {
          "type": "object",
          "properties": {"summary": {"type": "string"}, "certain": {"type": "boolean"}},
          "required": ["summary", "certain"],
          "additionalProperties": false
        }
      }
    }
  }'
