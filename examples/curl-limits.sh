#!/usr/bin/env bash
set -euo pipefail
curl -si "$BASE_URL/key" -H "Authorization: Bearer $API_KEY"
curl -s "$BASE_URL/usage?group_by=day" -H "Authorization: Bearer $API_KEY"
