"""Asks for a source sheet and saves its files in this folder."""

import json
import os
import urllib.request


def call(path, body=None):
    """Calls the API with a JSON body, or reads a path without one."""
    headers = {"Authorization": "Bearer " + os.environ["API_KEY"], "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    return urllib.request.urlopen(
        urllib.request.Request(os.environ["BASE_URL"] + path, data, headers), timeout=600
    )


question = "Make a source sheet on joy, as Word and PDF."
body = {"model": "service", "messages": [{"role": "user", "content": question}]}
with call("/chat/completions", body) as reply:
    service = json.load(reply)["x_service"]

for file in service["files"]:
    with call(f"/files/{file['id']}/content") as content, open(file["filename"], "wb") as saved:
        saved.write(content.read())
    print(file["filename"], file["bytes"], "bytes")
