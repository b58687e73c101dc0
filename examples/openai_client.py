"""The openai package: a question with its sources, and a second one in the same session, streamed."""

import os

from openai import OpenAI

client = OpenAI(base_url=os.environ["BASE_URL"], api_key=os.environ["API_KEY"])

completion = client.chat.completions.create(
    model="service",
    messages=[{"role": "user", "content": "What does the Tanya mean by a beinoni?"}],
)
print(completion.choices[0].message.content)
for source in completion.x_service["sources"]:
    print(source["n"], source["ref"], source["verification"][0]["result"])
print(completion.usage.cost, "credits")

stream = client.chat.completions.create(
    model="service",
    messages=[{"role": "user", "content": "And a tzaddik?"}],
    stream=True,
    extra_headers={"x-service-session-id": completion.x_service["session_id"]},
)
for chunk in stream:
    print(chunk.choices[0].delta.content or "", end="")
