import { Agent } from '@mastra/core/agent'

const agent = new Agent({
  id: 'student',
  name: 'student',
  instructions: 'Answer briefly.',
  model: { id: 'service/service', url: process.env.BASE_URL, apiKey: process.env.API_KEY },
})

const first = await agent.generate('What does the Tanya mean by a beinoni?')
console.log(first.text)
for (const source of first.response.body.x_service.sources) {
  console.log(source.n, source.ref, source.verification[0]?.result)
}

const headers = { 'x-service-session-id': first.response.headers['x-service-session-id'] }
const next = await agent.stream('And a tzaddik?', { modelSettings: { headers } })
for await (const piece of next.textStream) process.stdout.write(piece)
