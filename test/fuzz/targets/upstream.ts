import { Readable } from 'node:stream'
import { CallFailure } from '../../../src/agent/openai/failure.ts'
import { PayloadReader } from '../../../src/agent/openai/payloads.ts'
import { ReplyAssembler } from '../../../src/agent/openai/reply/reply-assembler.ts'
import { Watchdog } from '../../../src/agent/openai/watchdog.ts'
import { require, type Target } from '../target.ts'

const timers = { firstByteMs: 60_000, idleMs: 60_000, totalMs: 60_000 }

const chunk = (delta: object, reason: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`
const call = (index: number, more: object) => chunk({ tool_calls: [{ index, type: 'function', ...more }] })

/**
 * Reads a body that arrives in these pieces.
 * @returns its content, or the failure that the turn gets.
 */
async function outcomeOf(pieces: readonly Uint8Array[]): Promise<string> {
  const watch = new Watchdog(timers, new AbortController().signal)
  const reply = new ReplyAssembler('k3y.0123456789abcdefghij')
  try {
    await new PayloadReader(Readable.from(pieces), watch).read((payloads) => {
      const fault = reply.acceptAll(payloads)
      if (fault) throw fault
      return !reply.done
    })
    reply.end()
    const { reason, toolCalls } = reply.finish()
    const ids = new Set(toolCalls.map(({ id }) => id))
    require(ids.size === toolCalls.length, 'tool calls have ids of their own', toolCalls)
    return JSON.stringify({
      text: reply.takeText(),
      reason,
      toolCalls: toolCalls.map(({ name, arguments: a }) => [name, a]),
    })
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error
    require(!error.message.includes('k3y.0123456789'), 'no failure tells the key', error.message)
    return `${error.kind}: ${error.message}`
  } finally {
    watch.stop()
  }
}

/** Replies of a model's server, cut anywhere: they cause no exception except the one that a turn expects. */
export const upstream: Target = {
  name: 'upstream',
  covers: ['/src/agent/', '/eventsource-parser/'],
  most: 8 * 1024,
  seeds: [
    `${chunk({ role: 'assistant', content: '' })}${chunk({ content: 'שלום [S1].' })}${chunk({}, 'stop')}data: [DONE]\n\n`,
    `: comment\r\nevent: message\r\nid: 1\r\nretry: 5\r\n${call(0, { id: 'a', function: { name: 'f', arguments: '{"a":' } })}${call(0, { function: { arguments: '1}' } })}${chunk({}, 'tool_calls')}data: [DONE]\n\n`,
    `${call(0, { id: 'a', function: { name: 'f', arguments: '{}' } })}${call(1, { id: 'a', function: { name: 'g', arguments: '' } })}${chunk({}, 'stop')}`,
    'event: error\ndata: {"error":{"message":"overloaded","code":529}}\n\n',
    '{"choices":[{"index":0,"message":{"role":"assistant","content":[{"type":"text","text":"Yes."}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}',
    'data: {"choices":[{"index":0,"delta":{"function_call":{"name":"f","arguments":"{}"}},"finish_reason":"function_call"}]}\n\ndata: {"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5}}\n\n',
    '{"object":"error","message":"maximum context length is 8192 tokens k3y.0123456789abcdefghij"}',
  ],
  dictionary: [
    ...['data: ', 'event: error\n', 'id: 1\n', ': c\n', '\n\n', '\r\r', '\r\n\r\n'],
    ...['data: [DONE]\n\n', '\ufeff', '[DONE]'],
    ...'"delta": "message": "content": "refusal": "tool_calls":[ "function":{ "arguments": "index":'.split(
      ' ',
    ),
    ...'"id":null "finish_reason":"length" "error":{ "choices":[ "usage":{ "prompt_tokens":-1'.split(' '),
    ...'null 1e999 {} [] \\ud800'.split(' '),
  ],
  async check(input) {
    const whole = await outcomeOf([input])
    const at = input.length === 0 ? 0 : (input[0] ?? 0) % input.length
    const cut = await outcomeOf([input.subarray(0, at), input.subarray(at, at + 1), input.subarray(at + 1)])
    require(whole === cut, 'a reply says the same however its bytes arrive', whole, cut, at)
  },
}
