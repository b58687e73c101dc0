import OpenAI from 'openai'

const client = new OpenAI({ baseURL: process.env.BASE_URL, apiKey: process.env.API_KEY })

const first = await client.responses.create({
  model: 'service',
  input: 'What does the Tanya mean by a beinoni?',
})
console.log(first.output_text)
for (const source of first.x_service.sources) {
  console.log(source.n, source.ref, source.verification[0]?.result)
}

const stream = await client.responses.create({
  model: 'service',
  input: 'And a tzaddik?',
  previous_response_id: first.id,
  stream: true,
})
for await (const event of stream) {
  if (event.type === 'response.output_text.delta') process.stdout.write(event.delta)
}
