#!/usr/bin/env bash
set -euo pipefail
curl -s "$BASE_URL/sources/search?q=joy&limit=3" -H "Authorization: Bearer $API_KEY"
curl -s "$BASE_URL/sources/Concepts%20of%20Chassidut%2C%20Simcha%201" -H "Authorization: Bearer $API_KEY"
curl -s "$BASE_URL/sources/verify" -H "Authorization: Bearer $API_KEY" -H "Content-Type: application/json" \
  -d '{"text": "“The Psalmist asks to serve God in joy” (Concepts of Chassidut, Simcha 1)"}'
