"""Asks one question and prints the answer, its checked sources and its price."""

import json
import os
import urllib.request

body = {
    "model": "service",
    "messages": [{"role": "user", "content": "What does the Tanya mean by a beinoni?"}],
    "x_service": {"sources": "block"},
}
request = urllib.request.Request(
    os.environ["BASE_URL"] + "/chat/completions",
    data=json.dumps(body).encode(),
    headers={
        "Authorization": "Bearer " + os.environ["API_KEY"],
        "Content-Type": "application/json",
    },
)
with urllib.request.urlopen(request, timeout=600) as reply:
    completion = json.load(reply)

print(completion["choices"][0]["message"]["content"])
for source in completion["x_service"]["sources"]:
    results = [check["result"] for check in source["verification"]]
    print(source["n"], source["ref"], source["license"], ", ".join(results))
print(completion["usage"]["cost"], "credits")
