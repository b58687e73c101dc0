import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createOpenAiProvider } from '../../../src/agent/openai/provider.ts'
import type { ModelMessage, ModelRequest, ToolCall } from '../../../src/agent/provider.ts'
import { callTools, reply, toolUsingConversation } from '../../support/scripted-upstream.ts'
import { ask, run, said, start } from './provider-kit.ts'

const request: ModelRequest = {
  ...ask,
  tools: [{ name: 'search_sources', description: 'Searches.', parameters: { type: 'object' } }],
}

/** The conversation after the tools have answered. */
function answered(toolCalls: readonly ToolCall[], content: string): ModelRequest {
  const results: ModelMessage[] = toolCalls.map(({ id }) => ({ role: 'tool', callId: id, content }))
  return {
    ...request,
    messages: [...request.messages, { role: 'assistant', content: '', toolCalls }, ...results],
  }
}

async function converse(provider: Parameters<typeof run>[0], found: string): Promise<string> {
  const { last } = await run(provider, request)
  if (last.type !== 'finish') throw new Error(JSON.stringify(last))
  const [call] = last.toolCalls
  expect(call).toMatchObject({ name: 'search_sources', arguments: '{"query":"What is a beinoni?"}' })
  return (await run(provider, answered(last.toolCalls, found))).text
}

const passages = JSON.stringify({
  passages: [
    {
      mark: 'S1',
      ref: 'Book 1',
      text: 'He said: "Go," and the one in between has not sinned in all his life, ever',
    },
    { mark: 'S2', ref: 'Book 2', text: 'Another.' },
  ],
})
const ANSWER = 'The library says: “and the one in between has not sinned in all his life,” [S1].'

describe('the scripted conversation', () => {
  it('searches for the user’s words, then quotes the first passage under its mark', async () => {
    const { upstream, provider } = await start()
    upstream.setDefault(toolUsingConversation)
    expect(await converse(provider, passages)).toBe(ANSWER)
    expect(await converse(provider, '[S1] Book 1\nhas not sinned\n\n[S2] Book 2\nAnother')).toContain(
      '“has not sinned” [S1]',
    )
    expect(await converse(provider, '{"error":"Nothing found.","nearest":[]}')).toContain('found nothing')
    expect(await said(provider)).toBe('You asked: What is a beinoni?')
  })

  it('is what the module plays as a program', async () => {
    const program = spawn(process.execPath, ['test/support/scripted-upstream.ts', '--port', '0'], {
      stdio: 'pipe',
    })
    onTestFinished(() => void program.kill())
    const [line] = await once(program.stdout, 'data')
    const baseUrl = /http\S+/.exec(String(line))?.[0] ?? ''
    const provider = createOpenAiProvider({ baseUrl, model: 'm' })
    onTestFinished(() => provider.close())
    expect(await converse(provider, passages)).toBe(ANSWER)
  })
})

describe('the scripted upstream', () => {
  it('plays the scripts in order, then the default', async () => {
    const { upstream, provider } = await start()
    upstream.enqueue(reply('one', { usage: { prompt_tokens: 3, completion_tokens: 4 } }), (body) =>
      reply(body.model),
    )
    upstream.setDefault(callTools([{ name: 'f', arguments: { x: 1 } }], { text: 'let me' }))
    expect(await run(provider)).toMatchObject({
      text: 'one',
      last: { usage: { promptTokens: 3, completionTokens: 4 } },
    })
    expect(await said(provider)).toBe('test-model')
    const third = await run(provider)
    expect(third).toMatchObject({
      text: 'let me',
      last: { toolCalls: [{ name: 'f', arguments: '{"x":1}' }] },
    })
    expect(await Promise.all(upstream.requests.map(({ ended }) => ended))).toEqual([
      'complete',
      'complete',
      'complete',
    ])
  })

  it('refuses a request for which nothing is scripted', async () => {
    const { provider } = await start()
    expect((await run(provider)).last).toMatchObject({ message: expect.stringContaining('no script left') })
  })
})
