import { createOpenAI } from '@ai-sdk/openai'
import { jsonSchema, stepCountIs, streamText, tool } from 'ai'
import type { ResponseStreamEvent } from './types/service.d.mts'

const openai = createOpenAI({ baseURL: process.env.BASE_URL, apiKey: process.env.API_KEY })

const weekday = tool({
  description: 'The day of the week of a date',
  inputSchema: jsonSchema<{ date: string }>({
    type: 'object',
    properties: { date: { type: 'string' } },
    required: ['date'],
    additionalProperties: false,
  }),
  execute: async ({ date }) => new Date(date).toLocaleDateString('en', { weekday: 'long' }),
})

// openai('service') speaks the Responses API, openai.chat('service') chat completions.
const result = streamText({
  model: openai('service'),
  prompt: 'What does the Tanya mean by a beinoni?',
  tools: { weekday },
  stopWhen: stepCountIs(5),
  includeRawChunks: true,
})
for await (const part of result.fullStream) {
  if (part.type === 'text-delta') process.stdout.write(part.text)
  if (part.type === 'source' && part.sourceType === 'url') console.log('\ncited:', part.title, part.url)
  if (part.type !== 'raw') continue
  const event = part.rawValue as ResponseStreamEvent
  if (event.type !== 'response.completed') continue
  for (const source of event.response.x_service.sources) {
    console.log(source.n, source.ref, source.verification[0]?.result)
  }
}

const next = streamText({
  model: openai('service'),
  prompt: 'And a tzaddik?',
  headers: { 'x-service-session-id': (await result.response).headers?.['x-service-session-id'] },
})
for await (const piece of next.textStream) process.stdout.write(piece)
