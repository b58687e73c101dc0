"""A bot for the terminal: reads one question per line and answers each with checked sources, in one session."""

import json
import os
import sys
import time
import urllib.error
import urllib.request
import uuid


def open_stream(question, session_id):
    """Sends the question. Retries when the service is busy: the key makes sure that it is charged once."""
    body = {
        "model": "service",
        "messages": [{"role": "user", "content": question}],
        "stream": True,
        "x_service": {"session_id": session_id, "sources": "block"},
    }
    headers = {
        "Authorization": "Bearer " + os.environ["API_KEY"],
        "Content-Type": "application/json",
        "Idempotency-Key": str(uuid.uuid4()),
    }
    url = os.environ["BASE_URL"] + "/chat/completions"
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    for attempt in range(5):
        try:
            return urllib.request.urlopen(request, timeout=60)
        except urllib.error.HTTPError as failure:
            wait = failure.headers.get("Retry-After")
            if wait is None or attempt == 4:
                sys.exit(json.load(failure)["error"]["message"])
            time.sleep(int(wait))


def answer(question, session_id):
    """Prints the answer as it comes, then its sources. Returns the id of the session."""
    with open_stream(question, session_id) as stream:
        for line in stream:
            if not line.startswith(b"data: {"):
                continue
            chunk = json.loads(line[len("data: ") :])
            if "error" in chunk:
                sys.exit(chunk["error"]["message"])
            service = chunk.get("x_service", {})
            session_id = service.get("session_id", session_id)
            if service.get("event", {}).get("type") == "tool.started":
                print("…", service["event"]["title"], file=sys.stderr)
            for choice in chunk["choices"]:
                print(choice["delta"].get("content") or "", end="", flush=True)
            for source in service.get("sources", []):
                results = [check["result"] for check in source["verification"]]
                print(f"\n[{source['n']}] {source['ref']}: {', '.join(results)}", end="")
    print()
    return session_id


session = None
for line in sys.stdin:
    session = answer(line.strip(), session)
