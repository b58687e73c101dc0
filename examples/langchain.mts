import { ChatOpenAI } from '@langchain/openai'
import type { ChatCompletion } from './types/service.d.mts'

const modelWith = (defaultHeaders: Record<string, string> = {}) =>
  new ChatOpenAI({
    model: 'service',
    apiKey: process.env.API_KEY,
    configuration: { baseURL: process.env.BASE_URL, defaultHeaders },
    __includeRawResponse: true, // otherwise only text and usage of a reply are kept
  })

const answer = await modelWith().invoke('What does the Tanya mean by a beinoni?')
const { x_service: about } = answer.additional_kwargs.__raw_response as ChatCompletion
console.log(answer.text)
for (const source of about.sources) {
  console.log(source.n, source.ref, source.verification[0]?.result)
}

const inSession = modelWith({ 'x-service-session-id': about.session_id })
for await (const chunk of await inSession.stream('And a tzaddik?')) {
  process.stdout.write(chunk.text)
}
