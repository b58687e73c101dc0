"""Asks one question with a Python client, whole and streamed, and prints both answers as JSON."""

import json
import os
import sys

base_url, api_key = os.environ["BASE_URL"], os.environ["API_KEY"]
question = sys.argv[2]
messages = [{"role": "user", "content": question}]


def openai():
    from openai import OpenAI

    client = OpenAI(base_url=base_url, api_key=api_key)
    whole = client.chat.completions.create(model="service", messages=messages)
    stream = client.chat.completions.create(model="service", messages=messages, stream=True)
    pieces = [chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices]
    return whole.choices[0].message.content, "".join(pieces)


def langchain_openai():
    from langchain_openai import ChatOpenAI

    model = ChatOpenAI(model="service", base_url=base_url, api_key=api_key)
    return model.invoke(question).content, "".join(chunk.content for chunk in model.stream(question))


def agents():
    from agents import Agent, OpenAIChatCompletionsModel, Runner, set_tracing_disabled
    from openai import AsyncOpenAI

    set_tracing_disabled(True)
    client = AsyncOpenAI(base_url=base_url, api_key=api_key)
    model = OpenAIChatCompletionsModel(model="service", openai_client=client)
    agent = Agent(name="student", model=model)
    return [Runner.run_sync(agent, question).final_output for _ in range(2)]


whole, streamed = {"openai": openai, "langchain_openai": langchain_openai, "agents": agents}[sys.argv[1]]()
print(json.dumps({"whole": whole, "streamed": streamed}))
