ask() {
  curl -sSN "$BASE_URL/chat/completions" -H "Authorization: Bearer $API_KEY" \
    -H 'Content-Type: application/json' "$@"
}

session=$(ask -o answer.json -w '%header{x-service-session-id}' -d '{
  "model": "service",
  "messages": [{"role": "user", "content": "What does the Tanya mean by a beinoni?"}]
}')
cat answer.json

ask -H "x-service-session-id: $session" -d '{
  "model": "service",
  "messages": [{"role": "user", "content": "And a tzaddik?"}],
  "stream": true
}'
