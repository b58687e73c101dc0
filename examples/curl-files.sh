#!/usr/bin/env bash
set -euo pipefail
echo 'A note on joy: it breaks through fences.' > note.txt
file=$(curl -s "$BASE_URL/files" -H "Authorization: Bearer $API_KEY" -F purpose=user_data -F file=@note.txt |
  sed -n 's/.*"id":"\(file-[a-zA-Z0-9]*\)".*/\1/p')

curl -s "$BASE_URL/files" -H "Authorization: Bearer $API_KEY"
curl -s "$BASE_URL/files/$file/content" -H "Authorization: Bearer $API_KEY"
curl -s -X DELETE "$BASE_URL/files/$file" -H "Authorization: Bearer $API_KEY"
