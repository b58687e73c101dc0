/** `node test/bench/turns/floor-pass.ts`: floor: Fastify and undici hand the model's stream on, unread. */
import Fastify from 'fastify'
import { Agent, request as send } from 'undici'
import { announce } from './worker.ts'

// biome-ignore lint/style/noProcessEnv: a process of its own
const model = process.env['MODEL_URL'] ?? ''
const dispatcher = new Agent({ connections: null })
const app = Fastify()

app.post('/v1/chat/completions', async (request, reply) => {
  const { body } = await send(`${model}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request.body),
    dispatcher,
  })
  return reply.header('content-type', 'text/event-stream').send(body)
})

await app.listen({ host: '127.0.0.1', port: 0, backlog: 4_096 })
announce(app.server)
