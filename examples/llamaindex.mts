import { OpenAI } from '@llamaindex/openai'
import type { ChatCompletion } from './types/service.d.mts'

const access = { model: 'service', apiKey: process.env.API_KEY, baseURL: process.env.BASE_URL }
const llm = new OpenAI(access)

const { message, raw } = await llm.chat({
  messages: [{ role: 'user', content: 'What does the Tanya mean by a beinoni?' }],
})
console.log(message.content)
const { x_service: about } = raw as ChatCompletion
for (const source of about.sources) {
  console.log(source.n, source.ref, source.verification[0]?.result)
}

const defaultHeaders = { 'x-service-session-id': about.session_id }
const inSession = new OpenAI({ ...access, additionalSessionOptions: { defaultHeaders } })
const stream = await inSession.chat({ messages: [{ role: 'user', content: 'And a tzaddik?' }], stream: true })
for await (const { delta } of stream) process.stdout.write(delta)
