import { Agent, OpenAIProvider, Runner } from '@openai/agents'

// It speaks the Responses API; useResponses: false makes it speak chat completions.
const modelProvider = new OpenAIProvider({ baseURL: process.env.BASE_URL, apiKey: process.env.API_KEY })
const runner = new Runner({ modelProvider, tracingDisabled: true })
const agent = new Agent({ name: 'student', instructions: 'Answer briefly.', model: 'service' })

const first = await runner.run(agent, 'What does the Tanya mean by a beinoni?')
console.log(first.finalOutput)
const response = first.rawResponses.at(-1)
for (const source of response?.providerData?.x_service.sources ?? []) {
  console.log(source.n, source.ref, source.verification[0]?.result)
}

const next = await runner.run(agent, 'And a tzaddik?', {
  previousResponseId: response?.responseId,
  stream: true,
})
for await (const piece of next.toTextStream()) process.stdout.write(piece)
