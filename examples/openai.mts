import OpenAI from 'openai'

const client = new OpenAI({ baseURL: process.env.BASE_URL, apiKey: process.env.API_KEY })

const completion = await client.chat.completions.create({
  model: 'service',
  messages: [{ role: 'user', content: 'What does the Tanya mean by a beinoni?' }],
})
console.log(completion.choices[0].message.content)
for (const source of completion.x_service.sources) {
  console.log(source.n, source.ref, source.verification[0]?.result)
}
console.log(completion.usage?.cost, 'credits')

// The session knows what was said: only the new question is sent.
const stream = await client.chat.completions.create(
  { model: 'service', messages: [{ role: 'user', content: 'And a tzaddik?' }], stream: true },
  { headers: { 'x-service-session-id': completion.x_service.session_id } },
)
for await (const chunk of stream) {
  process.stdout.write(chunk.choices[0]?.delta.content ?? '')
}
