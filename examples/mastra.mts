import { Agent } from '@mastra/core/agent'
import type { ChatCompletion } from './types/service.d.mts'

const agent = new Agent({
  id: 'student',
  name: 'student',
  instructions: 'Answer briefly.',
  model: { id: 'service/service', url: process.env.BASE_URL ?? '', apiKey: process.env.API_KEY },
})

const first = await agent.generate('What does the Tanya mean by a beinoni?')
console.log(first.text)
const { x_service: about } = first.response.body as ChatCompletion
for (const source of about.sources) {
  console.log(source.n, source.ref, source.verification[0]?.result)
}

const headers = { 'x-service-session-id': about.session_id }
const next = await agent.stream('And a tzaddik?', { modelSettings: { headers } })
for await (const piece of next.textStream) process.stdout.write(piece)
