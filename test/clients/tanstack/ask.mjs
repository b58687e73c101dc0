import { chat } from '@tanstack/ai'
import { openaiCompatibleText } from '@tanstack/ai-openai/compatible'

const { API_KEY: apiKey, BASE_URL: baseURL } = process.env
const messages = [{ role: 'user', content: process.argv[2] }]

/** Text and tokens of a turn over one of the two APIs. */
async function ask(api) {
  const adapter = openaiCompatibleText('service', { baseURL, apiKey, api })
  let [text, tokens] = ['', 0]
  for await (const event of chat({ adapter, messages })) {
    if (event.type === 'RUN_ERROR') throw new Error(event.message)
    if (event.type === 'TEXT_MESSAGE_CONTENT') text += event.delta
    if (event.type === 'RUN_FINISHED') tokens = event.usage?.totalTokens
  }
  return { text, tokens }
}

const [chatted, responded] = [await ask('chat-completions'), await ask('responses')]
process.stdout.write(
  JSON.stringify({ whole: chatted.text, streamed: responded.text, tokens: responded.tokens }),
)
