import type { createOpenAI } from '@ai-sdk/openai'
import type { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type * as Ai from 'ai'
import { type Adapter, seenIn, weatherTool } from '../support/adapter.ts'
import { aiSdkTroubles } from '../support/troubles.ts'
import type { Place } from '../support/world.ts'

type Modules = {
  readonly ai: typeof Ai
  readonly createOpenAI: typeof createOpenAI
  readonly createOpenAICompatible: typeof createOpenAICompatible
}

/** The three ways to configure the AI SDK for the service. */
const providers = ['openai-compatible', 'openai chat', 'openai responses'] as const
type Provider = (typeof providers)[number]

/** `x_service` of a reply's body, of a chunk, or of the last event of a response. */
const blockOf = (body) => body?.x_service ?? body?.response?.x_service

/** A client for each way. */
export const aiSdkAdapters = (modules: Modules, name: string, more: Partial<Adapter> = {}) =>
  providers.map((provider) => aiSdkAdapter(modules, name, provider, more))

function aiSdkAdapter(
  { ai, createOpenAI, createOpenAICompatible }: Modules,
  name: string,
  provider: Provider,
  more: Partial<Adapter>,
): Adapter {
  const cites = provider !== 'openai-compatible'
  const shown = ['session', 'sources', 'files', 'cost', ...(cites ? (['links'] as const) : [])] as const

  const modelAt = ({ baseUrl: baseURL, key: apiKey, headers, model }: Place) => {
    if (provider === 'openai-compatible') {
      return createOpenAICompatible({ name: 'service', baseURL, apiKey, headers })(model)
    }
    const openai = createOpenAI({ baseURL, apiKey, headers })
    return provider === 'openai chat' ? openai.chat(model) : openai(model)
  }
  return {
    name: `${name}, ${provider}`,
    troubles: aiSdkTroubles,
    brokenWhole: provider === 'openai responses' ? 'AI_APICallError' : undefined,
    brokenStream: 'AI_StreamProviderError',
    stopped: undefined,
    shows: { whole: shown, streamed: shown },
    failureOf(error) {
      const last = error.lastError ?? error
      return {
        kind: error.name ?? error.constructor.name,
        status: last.statusCode,
        code: last.data?.error?.code,
      }
    },
    async whole(place, prompt, abortSignal) {
      // Version 7 keeps the body of a reply only on request.
      const include = { responseBody: true }
      const result = await ai.generateText({ model: modelAt(place), prompt, abortSignal, include })
      return seenIn(result.text, blockOf(result.response.body), {
        ...(cites && { annotations: result.sources }),
        usage: result.usage.raw,
      })
    },
    async stream(place, prompt, onText, abortSignal) {
      const result = ai.streamText({
        model: modelAt(place),
        prompt,
        abortSignal,
        includeRawChunks: true,
        onError: () => undefined,
      })
      return readParts(result.fullStream, onText, cites)
    },
    async callTool(place, prompt, weather) {
      const { name, description, parameters } = weatherTool
      const tool = ai.tool({
        description,
        inputSchema: ai.jsonSchema(parameters),
        execute: async ({ city }) => weather(city),
      })
      const stopWhen = ai.stepCountIs(5)
      return (await ai.generateText({ model: modelAt(place), prompt, tools: { [name]: tool }, stopWhen }))
        .text
    },
    ...more,
  }
}

async function readParts(stream, onText: (text: string) => void, cites: boolean) {
  let text = ''
  const [blocks, links] = [[], []]
  for await (const part of stream) {
    if (part.type === 'raw') blocks.push(blockOf(part.rawValue))
    else if (part.type === 'source') links.push(part)
    else if (part.type === 'error') throw part.error
    else if (part.type === 'abort') return { text }
    else if (part.type === 'text-delta') {
      onText(part.text)
      text += part.text
    }
  }
  return seenIn(text, blocks.findLast(Boolean), cites ? { annotations: links } : {})
}
