import {
  callTools,
  error,
  reply,
  type Script,
  type ScriptedUsage,
  stall,
  type UpstreamBody,
} from '../support/scripted-upstream.ts'

/** One thing that the server of a model does wrong. */
export type PlantedFault =
  | 'refuses the key'
  | 'does not know the model'
  | 'slow first word'
  | 'broken stream'
  | 'empty reply'
  | 'forgets the system message'
  | 'forgets the conversation'
  | 'refuses temperature'
  | 'ignores stop'
  | 'ignores max_tokens'
  | 'refuses response_format'
  | 'writes no JSON'
  | 'calls no tool'
  | 'refuses tools'
  | 'refuses tools with 500'
  | 'writes calls into the text'
  | 'malformed arguments'
  | 'one call at a time'
  | 'ignores tool_choice'
  | 'does not read results'
  | 'refuses tool results'
  | 'drops the second result'
  | 'stops after two steps'
  | 'half the window'
  | 'cuts the prompt'
  | 'misses the needle'
  | 'refuses images'
  | 'sees no colour'
  | 'strips the points'
  | 'changes a letter'
  | 'drops the marks'
  | 'invents the ref'
  | 'leaks reasoning'
  | 'no usage'
  | 'impossible usage'
  | 'constant usage'

/** The usual window of the server in tokens, of which four characters are one. */
export const window = 8_000

const contentOf = ({ content }: UpstreamBody['messages'][number]): string =>
  Array.isArray(content) ? content.map((part) => part.text ?? '').join(' ') : String(content ?? '')

const numbers = (to: number, separator: string) =>
  Array.from({ length: to }, (_, i) => String(i + 1)).join(separator)

type Text = UpstreamBody['messages'][number]

/** A model that does what the checks ask for, except for one fault. */
export function obedientModel(fault?: PlantedFault, tokens = window): (body: UpstreamBody) => Script {
  return (body) => {
    const refused = refusal(body, fault, tokens)
    if (refused) return refused
    if (fault === 'broken stream') return [{ text: 'One, ' }, { destroy: true }]
    const calls = callsOf(body, fault)
    const text = calls ? '' : textFor(body, fault)
    const usage = usageOf(body, text, fault)
    if (!calls)
      return finished(body, fault === 'leaks reasoning' ? `Well. <think>Is it 7?</think>\n\n${text}` : text, {
        usage,
        fault,
      })
    if (fault === 'calls no tool') return reply('I cannot search.', { usage })
    if (fault === 'writes calls into the text')
      return reply('<tool_call>{"name": "search_sources"}</tool_call>', { usage })
    return callTools(calls, { usage })
  }
}

function usageOf({ messages }: UpstreamBody, text: string, fault: PlantedFault | undefined) {
  const tokens = Math.ceil(messages.map(contentOf).join(' ').length / 4)
  const counted = {
    'impossible usage': 9_000_000,
    'cuts the prompt': Math.min(tokens, 1_024),
    'constant usage': 10,
  }[fault as string]
  return fault === 'no usage'
    ? null
    : { prompt_tokens: counted ?? tokens, completion_tokens: Math.ceil(text.length / 4) + 5 }
}

function finished(
  body: UpstreamBody,
  text: string,
  { usage, fault }: { usage: ScriptedUsage | null; fault: PlantedFault | undefined },
): Script {
  const [stop] = (body['stop'] as string[] | undefined) ?? []
  if (stop !== undefined && fault !== 'ignores stop') return reply(text.split(stop)[0] ?? '', { usage })
  if (body['max_tokens'] !== undefined && fault !== 'ignores max_tokens')
    return [
      { text: text.slice(0, 60) },
      { finish: 'length' },
      { usage: usage && { ...usage, completion_tokens: 20 } },
    ]
  return reply(text, { usage, chunks: 3 })
}

const invalid = (param: string) =>
  error(400, {
    error: { message: `Unsupported parameter: '${param}'.`, param, code: 'unsupported_parameter' },
  })

/** Requests that a faulty server refuses, and how. */
const refusals: readonly (readonly [PlantedFault, (body: UpstreamBody) => boolean, Script])[] = [
  ['refuses the key', () => true, error(401, 'Incorrect API key provided: sk-scripted-secret-key.')],
  ['does not know the model', () => true, error(404, 'The model `scripted` does not exist.')],
  ['slow first word', () => true, stall()],
  ['refuses temperature', (body) => body['temperature'] !== undefined, invalid('temperature')],
  ['refuses response_format', (body) => body['response_format'] !== undefined, invalid('response_format')],
  [
    'refuses tools',
    ({ tools }) => tools !== undefined,
    error(400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
  ],
  [
    'refuses tools with 500',
    ({ tools }) => tools !== undefined,
    error(500, { error: { code: 500, message: 'tools param requires --jinja flag', type: 'server_error' } }),
  ],
  [
    'refuses tool results',
    ({ messages }) => messages.some(({ role }) => role === 'tool'),
    error(400, 'The reasoning_content in the thinking mode must be passed back to the API.'),
  ],
  [
    'refuses images',
    ({ messages }) => JSON.stringify(messages).includes('image_url'),
    error(400, 'This model does not support image inputs.'),
  ],
]

function refusal(
  body: UpstreamBody,
  fault: PlantedFault | undefined,
  windowTokens: number,
): Script | undefined {
  const found = refusals.find(([one, concerns]) => one === fault && concerns(body))
  if (found) return found[2]
  const tokens = body.messages.map(contentOf).join(' ').length / 4
  if (tokens <= (fault === 'half the window' ? windowTokens / 2 : windowTokens)) return undefined
  return error(400, { error: { message: 'The prompt is too long.', code: 'context_length_exceeded' } })
}

type Calls = readonly { readonly name: string; readonly arguments: string | Record<string, unknown> }[]

const pages = ['14', '3', '27', '8']

/** The tool calls that the last message asks for. */
function callsOf(body: UpstreamBody, fault: PlantedFault | undefined): Calls | undefined {
  const last = body.messages.at(-1) as Text
  const text = contentOf(last)
  if (last.role === 'tool') return nextPage(body, text, fault)
  if (text.includes('read_page')) return [{ name: 'read_page', arguments: { page: 1 } }]
  const query = fault === 'malformed arguments' ? '{"question": ' : { query: 'the lamp' }
  const search = { name: 'search_sources', arguments: query }
  if (text.includes('twice at once'))
    return fault === 'one call at a time' ? [search] : [search, { ...search, arguments: { query: 'well' } }]
  if (body['tool_choice'] === 'required') return fault === 'ignores tool_choice' ? undefined : [search]
  return text.includes('Call search_sources') ? [search] : undefined
}

function nextPage(
  { messages }: UpstreamBody,
  result: string,
  fault: PlantedFault | undefined,
): Calls | undefined {
  const read = messages.filter(({ role }) => role === 'tool').length
  const next = pages.find((page) => result.includes(`The next page is ${page}.`))
  if (next === undefined || (fault === 'stops after two steps' && read === 2)) return undefined
  return [{ name: 'read_page', arguments: { page: Number(next) } }]
}

const repeatedIn = (asked: string) => asked.slice(asked.indexOf('\n\n') + 2)

type Answer = string | ((asked: string) => string)

/** What the conversation has, the right answer, and wrong ones by fault. The first row that fits counts. */
const answers: readonly (readonly [string, Answer, Readonly<{ [F in PlantedFault]?: Answer }>?])[] = [
  ['1 to 40 ', numbers(40, ', '), { 'empty reply': '' }],
  ['BANANA', 'BANANA', { 'forgets the system message': 'Paris.' }],
  ["teacher's name?", 'Zelig.', { 'forgets the conversation': 'I do not know.' }],
  ['1 to 9 ', numbers(9, ' ')],
  ['1 to ', numbers(300, ', ')],
  ['the locker?', '58213', { 'misses the needle': 'There is none.', 'cuts the prompt': 'There is none.' }],
  ['colour', 'Red.', { 'sees no colour': 'I see no image.' }],
  ['Jerusalem', '{"country": "Israel", "continent": "Asia"}', { 'writes no JSON': 'Israel, in Asia.' }],
  [
    'Repeat this text',
    repeatedIn,
    {
      'strips the points': (asked) => repeatedIn(asked).normalize('NFD').replace(/\p{M}/gu, ''),
      'changes a letter': (asked) => repeatedIn(asked).replace('הנה', 'הנא'),
    },
  ],
]

function textFor({ messages }: UpstreamBody, fault: PlantedFault | undefined): string {
  if (messages.at(-1)?.role === 'tool') return afterResults(messages, fault)
  const all = messages.map(contentOf).join(' ')
  const [, right = 'Ready.', wrong = {}] = answers.find(([words]) => all.includes(words)) ?? []
  const answer = (fault && wrong[fault]) ?? right
  return typeof answer === 'string' ? answer : answer(all)
}

function afterResults(messages: UpstreamBody['messages'], fault: PlantedFault | undefined): string {
  const results = messages.filter(({ role }) => role === 'tool').map(contentOf)
  const read = (fault === 'drops the second result' ? results.slice(0, 1) : results).join(' ')
  if (fault === 'does not read results') return 'I found nothing.'
  if (read.includes('does_not_exist'))
    return fault === 'invents the ref'
      ? '“The gate of the ninety-ninth court is made of glass” [S1].'
      : 'The Book of Gates 99:7 does not exist.'
  if (/next page/.test(read)) return read.includes('KESHET') ? 'KESHET' : 'I have read enough.'
  const marks = fault === 'drops the marks' ? ['', ''] : [' [S1]', ' [S2]']
  const lamp = read.includes('417') ? `The lamp burns for 417 hours${marks[0]}.` : ''
  return `${lamp} ${read.includes('286') ? `The well is 286 steps deep${marks[1]}.` : ''}`
}
