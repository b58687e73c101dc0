import type { FinishReason, Usage } from '../../../src/agent/provider.ts'
import { delta, eventStream } from './provider-kit.ts'

/** A form in which upstreams send replies, with its outcome. `docs/model-wire-forms.md` lists the same forms. */
export type WireForm = {
  /** Bodies that all have the outcome: payloads of an event stream, or the text of a body. */
  readonly bodies: readonly (string | readonly (object | string)[])[]
  /** The same as one JSON reply. */
  readonly whole?: readonly object[]
  readonly text?: string
  /** Name and arguments of each call. */
  readonly calls?: readonly string[]
  readonly reason?: FinishReason
  readonly usage?: Partial<Usage>
  readonly attached?: object | null
  /** A part of the failure's message. */
  readonly fails?: string
  /** The outcome depends on where the network cuts the body. */
  readonly needsOneRead?: true
}

const D = '[DONE]'
const USAGE = { prompt_tokens: 900, completion_tokens: 20, total_tokens: 920 }
const u = { object: 'chat.completion.chunk', choices: [], usage: USAGE }
const c = (content: unknown) => delta({ content })
const text = (...parts: readonly unknown[]) => [
  delta({ role: 'assistant' }),
  ...parts.map(c),
  delta({}, 'stop'),
  u,
  D,
]
const fn = (args: unknown, name = 'search_sources') => ({ name, arguments: args })
const call = (more: object = {}, args: unknown = '{"query":"bittul"}') => ({
  index: 0,
  id: 'call_00_AbCdEf',
  type: 'function',
  function: fn(args),
  ...more,
})
const more = (args: unknown, rest: object = { index: 0 }) => ({ ...rest, function: { arguments: args } })
const called = (...fragments: readonly object[]) => [
  delta({ role: 'assistant', content: null }),
  ...fragments.map((fragment) => delta({ tool_calls: [fragment] })),
  delta({}, 'tool_calls'),
  u,
  D,
]
const message = (member: object, reason: string | null = 'stop', rest: object = {}) => ({
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', ...member }, finish_reason: reason, ...rest }],
  usage: USAGE,
})
const at = (index: unknown, member: object, reason: string | null = null) => ({
  choices: [{ index, delta: member, finish_reason: reason }],
})

const twoChoices = (...end: readonly object[]) => [
  ...[at(0, { content: 'Bittul is ' }), at(1, { content: 'No' }), at(0, { content: 'self-nullification.' })],
  ...[...end, D],
]

const ANSWER = 'Bittul is self-nullification.'
const CALL = ['search_sources {"query":"bittul"}']
const named = (name: string) => called(call({ function: fn('{"query":"bittul"}', name) }))

export const wireForms: Readonly<Record<string, WireForm>> = {
  'reasoning in tags at the beginning': {
    bodies: [
      text('<think>', 'The user wants "a very secret plan of mine". ', '</think>', `\n\n${ANSWER}`),
      text('<thi', 'nk>hidden words', '</th', `ink>${ANSWER}`),
      text('\n<THINK>one</think>\n<think>two < three</think>\n\n', ANSWER),
      text(`<thinking>hidden</thinking>\n${ANSWER}`),
      text(`<thought>hidden</thought>${ANSWER}`),
      text(`<reasoning>write \`</think>\` first</reasoning>${ANSWER}`),
      text(`<seed:think>hidden</seed:think>${ANSWER}`),
      text(`[THINK]hidden[/THINK]${ANSWER}`),
      text(`◁think▷hidden◁/think▷${ANSWER}`),
      text(`<|channel>thought\nhidden<channel|>${ANSWER}`),
      text(
        `<|channel|>analysis<|message|>hidden<|end|><|start|>assistant<|channel|>final<|message|>${ANSWER}`,
      ),
    ],
    whole: [message({ content: `<think>hidden</think>\n\n${ANSWER}` })],
    text: ANSWER,
    attached: null,
  },
  'a closing tag alone, before any text was passed on': {
    bodies: [
      text(`hidden words without an opening tag\n</think>\n\n${ANSWER}`),
      text('hidden ', 'words', '</thi', `nk>${ANSWER}`),
      text(`an odd \` mark\n</think>${ANSWER}`),
    ],
    whole: [message({ content: `hidden\n</think>\n\n${ANSWER}` })],
    text: ANSWER,
    needsOneRead: true,
  },
  'tags in code': {
    bodies: [
      text('Write `<think>` to open, and `</think>` to ``close ` </think>`` it.\n```\n</think>\n```\n1 < 2'),
    ],
    text: 'Write `<think>` to open, and `</think>` to ``close ` </think>`` it.\n```\n</think>\n```\n1 < 2',
  },
  'opening tags after the beginning': {
    bodies: [text('Tags such as <think>a</think> stay.')],
    text: 'Tags such as <think>a</think> stay.',
  },
  'only reasoning, then `length`': {
    bodies: [
      [
        delta({ role: 'assistant', content: '' }),
        delta({ content: null, reasoning_content: 'thinking all the way' }),
        delta({ content: '' }, 'length'),
        u,
        D,
      ],
      [c('<think>thinking all the way'), delta({}, 'length'), u, D],
    ],
    whole: [message({ content: null, reasoning_content: 'thinking' }, 'length')],
    text: '',
    reason: 'length',
    usage: { promptTokens: 900, completionTokens: 20, estimated: false },
  },
  'only reasoning, then `stop`': {
    bodies: [
      [delta({ reasoning_content: 'thinking all the way' }), delta({ content: '\n' }, 'stop'), u, D],
      text('<think>thinking all the way'),
      text('<think>thinking all the way</think>\n'),
      text([{ type: 'thinking', thinking: [{ type: 'text', text: 'thinking' }] }]),
    ],
    whole: [message({ content: null, reasoning: 'thinking' })],
    fails: 'reasoning and no answer',
  },
  'reasoning beside the text': {
    bodies: [
      [
        delta({ role: 'assistant', content: null, reasoning_content: 'I should ' }),
        delta({ reasoning_content: 'answer.', audio: null }),
        ...text(ANSWER),
      ],
    ],
    whole: [message({ content: ANSWER, reasoning_content: 'I should answer.' })],
    text: ANSWER,
    attached: { message: { reasoning_content: 'I should answer.' } },
  },
  'blocks of `reasoning_details`': {
    bodies: [
      [
        delta({ reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'I ', signature: null }] }),
        delta({ reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'know.', id: 'r' }] }),
        delta({ reasoning_details: [{ type: 'reasoning.text', index: 0, signature: 'sig' }] }),
        delta({ reasoning_details: [{ type: 'reasoning.text', index: 0, signature: null }] }),
        delta({ reasoning_details: [{ type: 'reasoning.encrypted', index: 1, data: 'abc' }] }),
        ...text(ANSWER),
      ],
    ],
    text: ANSWER,
    attached: {
      message: {
        reasoning_details: [
          { type: 'reasoning.text', index: 0, text: 'I know.', signature: 'sig', id: 'r' },
          { type: 'reasoning.encrypted', index: 1, data: 'abc' },
        ],
      },
    },
  },
  'content parts of the type `thinking`': {
    bodies: [
      text(
        [{ type: 'thinking', thinking: [{ type: 'text', text: 'I ' }] }],
        [{ type: 'thinking', thinking: [{ type: 'text', text: 'know.' }], closed: true }],
        [{ type: 'text', text: 'Bittul is ' }],
        'self-nullification.',
      ),
    ],
    whole: [
      message({
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'I know.' }], closed: true },
          { type: 'text', text: ANSWER },
        ],
      }),
    ],
    text: ANSWER,
    attached: {
      parts: [{ type: 'thinking', thinking: [{ type: 'text', text: 'I know.' }], closed: true }],
    },
  },
  'members of a call beside its own': {
    bodies: [called(call({ extra_content: { google: { thought_signature: 'sig' } } }))],
    calls: CALL,
    attached: {
      calls: [{ id: 'call_00_AbCdEf', members: { extra_content: { google: { thought_signature: 'sig' } } } }],
    },
  },
  'an empty object before the arguments': {
    bodies: [
      called(call({}, '{}'), more('{"query":'), more('"bittul"}')),
      called(call({}, {}), more('{"query":"bittul"}')),
      called(
        call({ id: undefined }, '{}'),
        { index: 0, function: fn('{"query":') },
        { index: 0, function: fn('"bittul"}') },
      ),
      called(call({}, '{}{"query":"bittul"}')),
    ],
    whole: [message({ tool_calls: [call({}, '{}{"query":"bittul"}')] })],
    calls: CALL,
  },
  'arguments repeated from the start': {
    bodies: [
      called(call({}, '{"query"'), more(':"bittul"}'), more('{"query":"bittul"}')),
      called(call({}, '{"query":"bittul"}'), more('{"query"'), more(':"bittul"}')),
      called(call({}, '{"qu'), more('{"query":"bit'), more('{"query":"bittul"}')),
      called(call({ id: undefined }), call({ id: undefined })),
    ],
    calls: CALL,
  },
  'two different objects as arguments': {
    bodies: [called(call({}, '{"query":"a"}'), more('{"query":"b"}'))],
    calls: ['search_sources {"query":"a"}{"query":"b"}'],
  },
  'arguments as an object': {
    bodies: [called(call({}, { query: 'bittul' })), called(call({}, {}), more({ query: 'bittul' }))],
    whole: [message({ tool_calls: [call({}, { query: 'bittul' })] }, 'tool_calls')],
    calls: CALL,
  },
  'arguments encoded twice': {
    bodies: [
      called(call({}, '"{\\"query\\":\\"bittul\\"}"')),
      called(call({}, '"{\\"query\\":'), more('\\"bittul\\"}"')),
    ],
    whole: [message({ tool_calls: [call({}, JSON.stringify('{"query":"bittul"}'))] })],
    calls: CALL,
  },
  'a call index that is missing, repeated or growing': {
    bodies: [
      called(call({ index: undefined }, '{"query":'), more('"bittul"}', {})),
      called(call({ index: 1 }, '{"query":'), more('"bittul"}', { index: 1 })),
      called(call({}, ''), more('{"query":', { index: 1 }), more('"bittul"}', { index: 2 })),
      called(call({ index: undefined }, ''), more('{"query":"bittul"}', { index: 0 })),
      called(call({ index: null }, ''), more('{"query":"bittul"}', { index: null })),
    ],
    calls: CALL,
  },
  'empty ids and types': {
    bodies: [called(call({ index: undefined }, ''), more('{"query":"bittul"}', { id: '', type: '' }))],
    whole: [message({ tool_calls: [call({ id: '', type: '' })] })],
    calls: CALL,
  },
  'a tool name with a rest of the template': {
    bodies: [
      'search_sources<|channel|>commentary',
      'functions.search_sources',
      ' search_sources ',
      'search_sourcesjson',
      'search_sources<|constrain|>json',
      'functions.search_sources:0',
      'assistant to=functions.search_sources',
    ].map(named),
    whole: [message({ tool_calls: [call({ function: fn('{"query":"bittul"}', 'tool:search_sources') })] })],
    calls: CALL,
  },
  'a tool name that only resembles one': {
    bodies: [named('search_sources_v2')],
    calls: ['search_sources_v2 {"query":"bittul"}'],
  },
  'whole calls without a finish reason or `[DONE]`': {
    bodies: [
      [delta({ role: 'assistant' }), delta({ tool_calls: [call()] })],
      [delta({ role: 'assistant' }), delta({ tool_calls: [call()] }), D],
    ],
    whole: [message({ tool_calls: [call()] }, null)],
    calls: CALL,
  },
  'text or half a call without a finish reason or `[DONE]`': {
    bodies: [[c('All')], [delta({ tool_calls: [call({}, '{"query":')] })], [c('<think>all')]],
    fails: 'ended early',
  },
  'a choice with another index': {
    bodies: [
      [at(1, { content: 'Bittul is ' }), at(1, { content: 'self-nullification.' }), at(1, {}, 'stop'), D],
      [at('0', { content: ANSWER }), at('0', {}, 'stop')],
      [at(null, { content: ANSWER }), at(undefined, {}, 'stop')],
    ],
    text: ANSWER,
  },
  'a choice index that grows with each chunk': {
    bodies: [
      [
        ...['Bittul ', 'is ', 'self-nullification.'].map((content, n) => at(n, { content })),
        at(3, {}, 'stop'),
        D,
      ],
      [at(0, { content: 'Bittul ' }), at(1, { content: 'is self-nullification.' }, 'stop')],
    ],
    text: ANSWER,
  },
  'a second choice': {
    bodies: [
      twoChoices(),
      twoChoices(at(1, {}, 'length'), at(0, {}, 'stop')),
      [
        { choices: [...at(0, { content: ANSWER }).choices, ...at(1, { content: 'No' }).choices] },
        at(0, {}, 'stop'),
      ],
    ],
    text: ANSWER,
  },
  'keep-alive comments as data': {
    bodies: [': OPENROUTER PROCESSING', 'null', '""', 'ping', '[done]', '', '{}', '{"type":"ping"}'].map(
      (sent) => (sent === '[done]' ? [...text(ANSWER).slice(0, -1), sent] : [sent, ...text(ANSWER)]),
    ),
    text: ANSWER,
    usage: { estimated: false },
  },
  'a byte-order mark, CRLF and comments': {
    bodies: [`\ufeff: hello\r\n\r\nevent: keepalive\r\ndata: ""\r\n\r\n${eventStream(text(ANSWER), '\r\n')}`],
    text: ANSWER,
  },
  'null members and empty finish reasons': {
    bodies: [
      [
        {
          choices: [
            {
              index: 0,
              delta: { role: null, content: ANSWER, tool_calls: null },
              logprobs: null,
              finish_reason: '',
            },
          ],
          usage: null,
        },
        delta({ role: null, content: null, tool_calls: null }, 'stop', { usage: null, error: null }),
        D,
      ],
    ],
    whole: [{ ...message({ content: ANSWER, tool_calls: null, refusal: null }), error: null }],
    text: ANSWER,
    attached: null,
  },
  'an error in a stream of status 200, also in a list': {
    bodies: [
      [
        c('half '),
        {
          error: { code: 429, message: 'Rate limit exceeded' },
          choices: at(0, { content: '' }, 'error').choices,
        },
        D,
      ],
      [
        c('half '),
        { choices: [{ index: 0, delta: {}, error: { code: 502, message: 'Rate limit exceeded' } }] },
      ],
      `${eventStream([c('half ')])}event: error\ndata: Rate limit exceeded\n\n`,
      [c('half '), [{ error: { code: 429, message: 'Rate limit exceeded' } }]],
    ],
    whole: [{ error: { message: 'Rate limit exceeded' } }],
    fails: 'Rate limit exceeded',
  },
  'usage in the choice or in `x_groq`': {
    bodies: [
      [
        c(ANSWER),
        {
          choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage: { ...USAGE, cached_tokens: 512 } }],
        },
        D,
      ],
      [c(ANSWER), delta({}, 'stop', { x_groq: { usage: { ...USAGE, cached_tokens: 512 } } }), D],
    ],
    whole: [
      {
        ...message({ content: ANSWER }, 'stop', { usage: { ...USAGE, cached_tokens: 512 } }),
        usage: undefined,
      },
    ],
    text: ANSWER,
    usage: { promptTokens: 900, completionTokens: 20, cachedTokens: 512, estimated: false },
  },
  'usage in every chunk, or zeros at the end': {
    bodies: [
      [
        delta({ content: ANSWER }, null, { usage: { ...USAGE, completion_tokens: 1 } }),
        delta({}, 'stop', { usage: USAGE }),
        { choices: [], usage: { prompt_tokens: 0, completion_tokens: 0 } },
        D,
      ],
    ],
    text: ANSWER,
    usage: { promptTokens: 900, completionTokens: 20, estimated: false },
  },
  'reasoning that only the total of the usage counts': {
    bodies: [
      [
        c(ANSWER),
        delta({}, 'stop', {
          usage: { ...USAGE, total_tokens: 1_220, completion_tokens_details: { reasoning_tokens: 300 } },
        }),
        D,
      ],
      [c(ANSWER), delta({}, 'stop', { usage: { ...USAGE, total_tokens: 1_220 } }), D],
    ],
    whole: [message({ content: ANSWER }, 'stop', { usage: { ...USAGE, total_tokens: 1_220 } })],
    text: ANSWER,
    usage: { promptTokens: 900, completionTokens: 320, reasoningTokens: 300, estimated: false },
  },
  'usage as `input_tokens` and `output_tokens`, or in texts': {
    bodies: [
      [c(ANSWER), delta({}, 'stop', { usage: { input_tokens: 900, output_tokens: 20 } }), D],
      [c(ANSWER), delta({}, 'stop', { usage: { prompt_tokens: '900', completion_tokens: '20' } }), D],
    ],
    whole: [{ ...message({ content: ANSWER }), usage: { input_tokens: '900', output_tokens: 20 } }],
    text: ANSWER,
    usage: { promptTokens: 900, completionTokens: 20, estimated: false },
  },
}
