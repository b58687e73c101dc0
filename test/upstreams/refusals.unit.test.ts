import type { IncomingHttpHeaders } from 'node:http'
import { describe, expect, test } from 'vitest'
import { anthropic } from './anthropic.ts'
import { deepseek } from './deepseek.ts'
import { gemini } from './gemini.ts'
import { google } from './google.ts'
import { llamaCpp } from './llama-cpp.ts'
import { lmStudio } from './lm-studio.ts'
import { mistral } from './mistral.ts'
import { moonshot } from './moonshot.ts'
import { ollama } from './ollama.ts'
import { openai } from './openai.ts'
import { openrouter } from './openrouter.ts'
import type { Body, Provider } from './provider.ts'
import { responses } from './responses.ts'
import { vllm } from './vllm.ts'

/** What each server refuses, as the real one does. A server that took everything would prove nothing. */

const headers: IncomingHttpHeaders = {
  authorization: 'Bearer key',
  'x-api-key': 'key',
  'anthropic-version': '2023-06-01',
  'x-goog-api-key': 'key',
}
const move = { thoughts: 'Think.', calls: [{ name: 'list_files', arguments: {} }] }
const tokens = { prompt: 900, completion: 30 }

const user = { role: 'user', content: 'q1 PLAN=files,answer' }
const system = { role: 'system', content: 'Be brief.' }
const call = (id: string, more: object = {}) => ({
  role: 'assistant',
  content: null,
  ...more,
  tool_calls: [{ id, type: 'function', function: { name: 'list_files', arguments: '{}' } }],
})
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: '[]' })
const chat = (...messages: readonly object[]) => ({ model: 'm', messages, stream: true })

/** The history of a tool step as the server wants it back, made from its own reply. */
function step(provider: Provider, change: (message: Body) => object = (message) => message): Body {
  const { issued } = provider.reply(move, tokens, 501, chat(user))
  const { thinking, text, signature, ...rest } = issued as Body
  const message = {
    ...{ role: 'assistant', content: null, ...rest },
    ...(thinking && { content: [{ type: 'thinking', thinking: [{ type: 'text', text: thinking }] }] }),
    ...(signature && { reasoning_details: [{ type: 'reasoning.text', index: 0, text, signature }] }),
  }
  return chat(system, user, change(message), result(message.tool_calls[0].id))
}

const without = (name: string) => (message: Body) => ({ ...message, [name]: undefined })
const withId = (id: string) => (message: Body) => ({ ...message, tool_calls: call(id).tool_calls })

const anthropicStep = (change: (content: Body[]) => Body[] = (content) => content): Body => {
  const { issued } = anthropic.reply(move, tokens, 601, {})
  const { thinking, calls } = issued as Body
  const content = [
    { type: 'thinking', ...thinking[0] },
    { type: 'tool_use', ...calls[0] },
  ]
  const results = [{ type: 'tool_result', tool_use_id: calls[0].id, content: '[]' }]
  const messages = [user, { role: 'assistant', content: change(content) }, { role: 'user', content: results }]
  return { model: 'm', max_tokens: 99, thinking: { type: 'adaptive' }, messages }
}

const googleStep = (change: (part: Body) => Body = (part) => part): Body => {
  const { issued } = google.reply(move, tokens, 701, {})
  const { calls, signatures } = issued as Body
  const part = { functionCall: calls[0], thoughtSignature: signatures[0] }
  return {
    contents: [
      { role: 'user', parts: [{ text: 'q1 PLAN=files,answer' }] },
      { role: 'model', parts: [change(part)] },
      { role: 'user', parts: [{ functionResponse: { name: 'list_files', response: {} } }] },
    ],
  }
}

const responsesStep = (change: (items: Body[]) => Body[] = (items) => items): Body => {
  const { blocks } = responses.reply(move, tokens, 801, {})
  const { output } = JSON.parse(blocks.at(-1)?.split('data: ')[1] ?? '').response
  const items = [...output, { type: 'function_call_output', call_id: output[1].call_id, output: '[]' }]
  return { model: 'm', store: false, input: [user, ...change(items)] }
}

const strip = ({ thoughtSignature: _, ...part }: Body) => part

type Case = readonly [refused: string, body: Body, status: number, words: RegExp]

const late = chat(system, user, { role: 'assistant', content: 'Yes.' }, system, user)
const open = (provider: Provider) => {
  const body = step(provider)
  return { ...body, messages: [...body.messages.slice(0, -1), user] }
}

const table: readonly (readonly [Provider, Body, readonly Case[]])[] = [
  [
    openai,
    step(openai),
    [
      ['max_tokens', { ...chat(user), max_tokens: 9 }, 400, /max_completion_tokens/],
      ['a temperature', { ...chat(user), temperature: 0 }, 400, /Unsupported value: 'temperature'/],
      ['stop', { ...chat(user), stop: ['x'] }, 400, /'stop' is not supported/],
      ['an unknown member', { ...chat(user), top_k: 3 }, 400, /Unknown parameter: 'top_k'/],
      ['a member of a message', chat({ ...user, reasoning_content: '' }), 400, /reasoning_content/],
      ['an open call', open(openai), 400, /did not have response messages: call_/],
      ['a result of no call', chat(user, result('call_9')), 400, /preceeding message/],
      ['a long id', chat(user, call('c'.repeat(41)), result('c'.repeat(41))), 400, /maximum length 40/],
      ['tool_choice without tools', { ...chat(user), tool_choice: 'auto' }, 400, /only allowed when 'tools'/],
    ],
  ],
  [
    deepseek,
    step(deepseek),
    [
      [
        'a step without its reasoning',
        step(deepseek, without('reasoning_content')),
        400,
        /must be passed back/,
      ],
      ['a forced call', { ...chat(user), tool_choice: 'required' }, 400, /tool_choice/],
      ['a JSON schema', { ...chat(user), response_format: { type: 'json_schema' } }, 400, /response_format/],
      [
        'an image',
        chat({ role: 'user', content: [{ type: 'image_url' }] }),
        400,
        /`image_url`, expected `text`/,
      ],
      ['a developer', chat({ ...system, role: 'developer' }), 400, /unknown variant `developer`/],
      ['an open call', open(deepseek), 400, /insufficient tool messages/],
    ],
  ],
  [
    gemini,
    step(gemini),
    [
      [
        'a call without its signature',
        chat(user, call('a'), result('a')),
        400,
        /missing a thought_signature/,
      ],
      [
        'a changed signature',
        step(gemini, (message) => ({ ...message, extra_content: { google: { thought_signature: 'no' } } })),
        400,
        /Corrupted thought signature/,
      ],
      ['an unknown member', { ...chat(user), seed: 1 }, 400, /^\[.*Unknown name \\"seed\\"/],
      ['an open call', open(gemini), 400, /number of function response parts/],
    ],
  ],
  [
    mistral,
    step(mistral),
    [
      [
        'a long id',
        step(mistral, withId('call_123456789')),
        400,
        /"message":"Tool call id was call_123456789/,
      ],
      ['user', { ...chat(user), user: 'me' }, 422, /"loc":\["body","user"\]/],
      [
        'usage in the stream',
        { ...chat(user), stream_options: { include_usage: true } },
        422,
        /"stream_options","include_usage"/,
      ],
      ['a member of a message', chat(user, { ...call('a'), reasoning: 'x' }), 422, /"assistant","reasoning"/],
      [
        'a question after a result',
        { ...step(mistral), messages: [...step(mistral).messages, user] },
        400,
        /after role 'tool'/,
      ],
      [
        'an empty answer',
        chat(user, { role: 'assistant', content: '' }, user),
        400,
        /either content or tool_calls/,
      ],
      ['an open call', open(mistral), 400, /same number of function calls/],
      ['an answer at the end', chat(user, { role: 'assistant', content: 'x' }), 400, /Expected last role/],
    ],
  ],
  [
    vllm,
    step(vllm),
    [
      ['a second system message', late, 400, /System message must be at the beginning/],
      ['an unknown member', { ...chat(user), reasoning_effort: 'low' }, 422, /^\{"detail":\[/],
      ['no question', chat(system), 400, /No user query/],
    ],
  ],
  [
    moonshot,
    step(moonshot),
    [
      ['a temperature', { ...chat(user), temperature: 0.3 }, 400, /only 1 is allowed/],
      ['a forced call', { ...chat(user), tool_choice: 'required' }, 400, /incompatible with thinking/],
      [
        'a step without its reasoning',
        step(moonshot, without('reasoning_content')),
        400,
        /reasoning_content is missing/,
      ],
      ['an empty message', chat({ role: 'user', content: '' }), 400, /must not be empty/],
      ['an open call', open(moonshot), 400, /did not have response messages/],
    ],
  ],
  [
    openrouter,
    step(openrouter),
    [
      [
        'a step without its reasoning',
        step(openrouter, without('reasoning_details')),
        400,
        /Expected `thinking`/,
      ],
      [
        'changed reasoning',
        step(openrouter, (message) => ({
          ...message,
          reasoning_details: [{ ...message.reasoning_details[0], text: 'Other.' }],
        })),
        400,
        /Invalid `signature`/,
      ],
      ['two samplers', { ...chat(user), temperature: 1, top_p: 1 }, 400, /"metadata":\{"raw"/],
    ],
  ],
  [
    ollama,
    step(ollama),
    [
      ['an unknown effort', { ...chat(user), reasoning_effort: 'minimal' }, 400, /invalid reasoning value/],
      ['an unknown part', chat({ role: 'user', content: [{ type: 'file' }] }), 400, /invalid message format/],
    ],
  ],
  [
    llamaCpp,
    step(llamaCpp),
    [
      ['a second system message', late, 400, /Jinja Exception/],
      ['an answer at the end', chat(user, { role: 'assistant', content: 'x' }), 400, /prefill/],
    ],
  ],
  [
    lmStudio,
    step(lmStudio),
    [
      [
        'json_object',
        { ...chat(user), response_format: { type: 'json_object' } },
        400,
        /^\{"error":"'response_format/,
      ],
      ['a named call', { ...chat(user), tool_choice: { type: 'function' } }, 400, /Invalid tool_choice type/],
      ['a second system message', late, 400, /at the beginning/],
    ],
  ],
  [
    anthropic,
    anthropicStep(),
    [
      ['a step without its thoughts', anthropicStep(([, use]) => [use]), 400, /but found `tool_use`/],
      [
        'changed thoughts',
        anthropicStep(([thought, use]) => [{ ...thought, thinking: 'Other.' }, use]),
        400,
        /Invalid `signature`/,
      ],
      [
        'an open call',
        { ...anthropicStep(), messages: anthropicStep().messages.slice(0, 2) },
        400,
        /without `tool_result`/,
      ],
      ['a system message', { model: 'm', max_tokens: 9, messages: [system, user] }, 400, /Unexpected role/],
      ['no limit', { model: 'm', messages: [user] }, 400, /max_tokens: Field required/],
      [
        'an empty text',
        { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: ' ' }] },
        400,
        /non-whitespace/,
      ],
      ['an unknown member', { ...anthropicStep(), seed: 1 }, 400, /seed: Extra inputs/],
    ],
  ],
  [
    google,
    googleStep(),
    [
      ['a call without its signature', googleStep(strip), 400, /missing a thought_signature/],
      ['a changed signature', googleStep((part) => ({ ...part, thoughtSignature: 'no' })), 400, /Corrupted/],
      [
        'an open call',
        { contents: googleStep().contents.slice(0, 2) },
        400,
        /number of function response parts/,
      ],
      ['an unknown member', { ...googleStep(), messages: [] }, 400, /Unknown name \\"messages\\"/],
    ],
  ],
  [
    responses,
    responsesStep(),
    [
      [
        'a call without its reasoning',
        responsesStep(([, ...items]) => items),
        400,
        /without its required 'reasoning' item/,
      ],
      [
        'reasoning by itself',
        responsesStep(([thought]) => [thought]),
        400,
        /without its required following item/,
      ],
      ['an open call', responsesStep((items) => items.slice(0, 2)), 400, /No tool output found/],
      ['a temperature', { ...responsesStep(), temperature: 0 }, 400, /Unsupported parameter: 'temperature'/],
      [
        'unknown reasoning',
        responsesStep(([thought, ...items]) => [{ ...thought, encrypted_content: 'no' }, ...items]),
        404,
        /not found/,
      ],
    ],
  ],
]

describe.each(table.map((row) => [row[0].name, ...row] as const))('%s', (_name, provider, whole, cases) => {
  test('takes what it had sent', () => {
    expect(provider.check(whole, headers)).toBeUndefined()
  })

  test.each(cases)('refuses %s', (_refused, body, status, words) => {
    const refusal = provider.check(body, headers)
    expect(refusal?.status).toBe(status)
    expect(JSON.stringify(refusal?.body)).toMatch(words)
  })
})
