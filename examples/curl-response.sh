#!/usr/bin/env bash
set -euo pipefail
curl -s "$BASE_URL/responses" \
  -H "Authorization: Bearer $API_KEY" -H "Content-Type: application/json" \
  -d '{"model": "service", "input": "What is bittul?"}'
