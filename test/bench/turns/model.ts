/**
 * `node test/bench/turns/model.ts`: a model's server for load. Like `test/support/scripted-upstream.ts` it speaks the
 * chat-completions stream, but its frames are rendered beforehand and it keeps nothing.
 */
import { createServer, type ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { scriptIn, type TurnScript, toolName, wordOf } from './script.ts'
import { announce } from './worker.ts'

function frame(delta: object, finish: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }]
  return `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm', choices })}\n\n`
}

const call = { index: 0, id: 'call_1', type: 'function', function: { name: toolName, arguments: '{}' } }
const usage = `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":100,"completion_tokens":64,"total_tokens":164}}\n\n`
const opening = Buffer.from(frame({ role: 'assistant', content: '' }))
const closing = Buffer.from(`${frame({}, 'stop')}${usage}data: [DONE]\n\n`)
const toolReply = Buffer.from(
  `${frame({ role: 'assistant', content: null })}${frame({ tool_calls: [call] })}${frame({}, 'tool_calls')}${usage}data: [DONE]\n\n`,
)
const words = Array.from({ length: 256 }, (_, i) => Buffer.from(frame({ content: wordOf(i, false) })))

async function answer(script: TurnScript, response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  if (script.tool) {
    response.end(toolReply)
    return
  }
  response.write(opening)
  const paced = script.gapMs > 0
  if (script.firstMs > 0) await delay(script.firstMs)
  for (let i = 0; i < script.chunks && !response.destroyed; i += 1) {
    if (paced && i > 0) await delay(script.gapMs)
    const ready = paced ? undefined : words[i]
    response.write(ready ?? frame({ content: wordOf(i, paced) }))
  }
  response.end(closing)
}

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  let body = ''
  request.setEncoding('utf8')
  request.on('data', (part: string) => {
    body += part
  })
  request.on('end', () => {
    answer(scriptIn(body), response).catch(() => response.destroy())
  })
})
server.listen(0, '127.0.0.1', 4_096, () => announce(server))
