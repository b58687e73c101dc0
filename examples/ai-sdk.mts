import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, streamText } from 'ai'
import type { ChatCompletion } from './types/service.d.mts'

const service = createOpenAICompatible({
  name: 'service',
  baseURL: process.env.BASE_URL ?? '',
  apiKey: process.env.API_KEY,
  supportsStructuredOutputs: true, // sends JSON Schemas; the default drops them
  includeUsage: true, // streams tell their tokens
})

const { text, response } = await generateText({
  model: service('service'),
  prompt: 'What does the Tanya mean by a beinoni?',
  include: { responseBody: true }, // since version 7; before, the body is always there
})
console.log(text)
const reply = response.body as ChatCompletion
for (const source of reply.x_service.sources) {
  console.log(source.n, source.ref, source.verification[0]?.result)
}

const result = streamText({
  model: service('service'),
  prompt: 'And a tzaddik?',
  headers: { 'x-service-session-id': reply.x_service.session_id },
})
for await (const piece of result.textStream) process.stdout.write(piece)
