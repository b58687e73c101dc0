import { openAICompatible } from '@genkit-ai/compat-oai'
import { genkit } from 'genkit'

const { API_KEY: apiKey, BASE_URL: baseURL } = process.env
const ai = genkit({ plugins: [openAICompatible({ name: 'service', apiKey, baseURL })] })
const prompt = process.argv[2]

const whole = await ai.generate({ model: 'service/service', prompt })
const { stream, response } = ai.generateStream({ model: 'service/service', prompt })
let streamed = ''
for await (const chunk of stream) streamed += chunk.text
const { usage } = await response
process.stdout.write(JSON.stringify({ whole: whole.text, streamed, tokens: usage?.totalTokens }))
