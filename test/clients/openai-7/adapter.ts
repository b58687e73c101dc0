import type { OpenAI as Client } from 'openai'
import type { Stream } from 'openai/core/streaming'
import type { Adapter, Failure } from '../support/adapter.ts'
import { seenIn, weatherTool } from '../support/adapter.ts'
import { officialTroubles } from '../support/troubles.ts'
import type { Place } from '../support/world.ts'

type Constructor = typeof Client

const everything = ['session', 'sources', 'files', 'links', 'cost'] as const
const user = (content: string) => [{ role: 'user' as const, content }]

const failureOf = (error: unknown): Failure => {
  const { status, code } = error as Error & { status?: number; code?: string }
  return { kind: (error as Error).constructor.name, status, code }
}

const clientAt = (OpenAI: Constructor, { baseUrl, key, headers }: Place) =>
  new OpenAI({ baseURL: baseUrl, apiKey: key, defaultHeaders: headers })

/** The official SDK: `chat.completions`, with `create` and, as `helper`, with `.stream()` and `.runTools()`. */
export function chatAdapter(OpenAI: Constructor, name: string, { helper }: { helper: boolean }): Adapter {
  return {
    name: `${name}, chat${helper ? ' helpers' : ''}`,
    failureOf,
    troubles: officialTroubles,
    brokenWhole: undefined,
    brokenStream: 'APIError',
    stopped: helper ? 'APIUserAbortError' : undefined,
    shows: { whole: everything, streamed: everything },
    async whole(place, question, signal) {
      const body = { model: place.model, messages: user(question) }
      const completion = await clientAt(OpenAI, place).chat.completions.create(body, { signal })
      const { message } = completion.choices[0]
      const { annotations } = message
      return seenIn(message.content ?? '', completion.x_service, { annotations, usage: completion.usage })
    },
    async stream(place, question, onText, signal) {
      const client = clientAt(OpenAI, place)
      const body = { model: place.model, messages: user(question) }
      return helper
        ? readHelper(client.chat.completions.stream(body, { signal }), onText)
        : readChunks(await client.chat.completions.create({ ...body, stream: true }, { signal }), onText)
    },
    callTool: helper ? runTools : loopByHand,
  }

  async function runTools(place: Place, question: string, weather: (city: string) => string) {
    const tool = { ...weatherTool, parse: JSON.parse, function: ({ city }) => weather(city) }
    const runner = clientAt(OpenAI, place).chat.completions.runTools({
      model: place.model,
      messages: user(question),
      tools: [{ type: 'function', function: tool }],
    })
    return (await runner.finalContent()) ?? ''
  }

  async function loopByHand(place: Place, question: string, weather: (city: string) => string) {
    const client = clientAt(OpenAI, place)
    const tools = [{ type: 'function' as const, function: weatherTool }]
    const messages: Client.ChatCompletionMessageParam[] = user(question)
    for (;;) {
      const completion = await client.chat.completions.create({ model: place.model, messages, tools })
      const { message } = completion.choices[0]
      if (!message.tool_calls) return message.content ?? ''
      messages.push(message)
      for (const call of message.tool_calls) {
        const content = weather(JSON.parse(call.function.arguments).city)
        messages.push({ role: 'tool', tool_call_id: call.id, content })
      }
    }
  }
}

async function readChunks(stream: Stream<Client.ChatCompletionChunk>, onText: (text: string) => void) {
  let [text, block, annotations] = ['', undefined, undefined]
  for await (const chunk of stream) {
    const { content, annotations: cited } = chunk.choices[0]?.delta ?? {}
    if (content) onText(content)
    text += content ?? ''
    annotations = cited ?? annotations
    block = chunk.x_service ?? block
  }
  return seenIn(text, block, { annotations })
}

async function readHelper(stream, onText: (text: string) => void) {
  stream.on('content', onText)
  const completion = await stream.finalChatCompletion()
  const { content, annotations } = completion.choices[0].message
  return seenIn(content, completion.x_service, { annotations })
}

/** The official SDK: `responses`. */
export function responsesAdapter(OpenAI: Constructor, name: string): Adapter {
  return {
    name: `${name}, responses`,
    failureOf,
    troubles: officialTroubles,
    brokenWhole: undefined,
    brokenStream: 'Error',
    stopped: undefined,
    shows: { whole: everything, streamed: everything },
    async whole(place, question, signal) {
      const body = { model: place.model, input: question }
      return seenInResponse(await clientAt(OpenAI, place).responses.create(body, { signal }))
    },
    async stream(place, question, onText, signal) {
      const client = clientAt(OpenAI, place)
      const body = { model: place.model, input: question, stream: true as const }
      let text = ''
      for await (const event of await client.responses.create(body, { signal })) {
        if (event.type === 'response.output_text.delta') {
          onText(event.delta)
          text += event.delta
        }
        if (event.type === 'response.failed') throw new Error(event.response.error?.message)
        if (event.type === 'response.completed') return seenInResponse(event.response)
      }
      return { text }
    },
    async callTool(place, question, weather) {
      const client = clientAt(OpenAI, place)
      const tools = [{ type: 'function' as const, strict: false, ...weatherTool }]
      const input: Client.Responses.ResponseInputItem[] = user(question)
      for (;;) {
        const response = await client.responses.create({ model: place.model, input, tools })
        const calls = response.output.filter((item) => item.type === 'function_call')
        if (calls.length === 0) return response.output_text
        input.push(...response.output)
        for (const { call_id, arguments: args } of calls) {
          input.push({ type: 'function_call_output', call_id, output: weather(JSON.parse(args).city) })
        }
      }
    },
  }
}

function seenInResponse(response) {
  const message = response.output.find((item) => item.type === 'message')
  const { annotations } = message?.content[0] ?? {}
  const failure = response.error ? `\n\n[${response.error.message}]` : ''
  const text = (message?.content[0]?.text ?? '') + failure
  return seenIn(text, response.x_service, { annotations, usage: response.usage })
}
