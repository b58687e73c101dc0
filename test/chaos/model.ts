import {
  callTools,
  cut,
  error,
  reply,
  type Script,
  startScriptedUpstream,
  type UpstreamBody,
} from '../support/scripted-upstream.ts'
import {
  type AimedKill,
  lastReply,
  parseQuestions,
  type Question,
  type Trouble,
  toolRounds,
  usageOf,
} from './questions.ts'

/** One request that reached the fake model. */
export type ModelCall = {
  readonly at: number
  readonly question: string
  /** Index of the call in its turn, from 0. */
  readonly call: number
  readonly replica: string
  /** The fake model refused or broke the call on purpose, so a retry repeats no work. */
  readonly troubled: boolean
}

export type Model = {
  readonly baseUrl: string
  close(): Promise<void>
}

/**
 * A fake model whose answers depend only on the conversation. The API key identifies the calling process.
 * @param onAim listener for the moment at which a question wants its process killed.
 */
export async function startModel(
  onCall: (call: ModelCall) => void,
  onAim: (replica: string) => void,
): Promise<Model> {
  const upstream = await startScriptedUpstream({ records: false })
  const seen = new Set<string>()
  upstream.setDefault((body, headers) => {
    const turn = turnOf(body)
    if (!turn) return error(400, 'no question')
    const { question, call } = turn
    const key = `${question.id}/${call}`
    const isFirst = !seen.has(key)
    seen.add(key)
    const replica = (headers.authorization ?? '').replace('Bearer ', '')
    const trouble = troubleOf(turn, isFirst)
    onCall({ at: Date.now(), question: question.id, call, replica, troubled: trouble !== undefined })
    return trouble ? troubledScript(turn, trouble) : answerScript(turn, isFirst, () => onAim(replica))
  })
  return { baseUrl: upstream.baseUrl, close: () => upstream.close() }
}

type Turn = {
  readonly question: Question
  readonly call: number
  readonly earlier: readonly string[]
  readonly mark: string
  readonly readBack: string
}

function turnOf(body: UpstreamBody): Turn | undefined {
  const { messages } = body
  const at = messages.findLastIndex(({ role }) => role === 'user')
  const asked = messages
    .filter(({ role }) => role === 'user')
    .flatMap(({ content }) => parseQuestions(textOf(content)))
  const question = asked.at(-1)
  if (!question) return undefined
  const since = messages.slice(at + 1)
  const lastResult = textOf(since.findLast(({ role }) => role === 'tool')?.content)
  return {
    question,
    call: since.filter(({ role }) => role === 'assistant').length,
    earlier: asked.slice(0, -1).map(({ id }) => id),
    mark: /"mark":"(\[S1\])"/.exec(lastResult)?.[1] ?? 'nothing',
    readBack: readTextOf(lastResult),
  }
}

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content ?? '')
}

function readTextOf(toolResult: string): string {
  try {
    const { passages } = JSON.parse(toolResult) as { passages?: readonly { readonly text?: string }[] }
    return passages?.map(({ text }) => text).join(' ') ?? 'nothing'
  } catch {
    return 'nothing'
  }
}

type Refused = Exclude<Trouble['kind'], 'stall'>

/** The fault that replaces an answer. A refusal repeats; all other faults hit the first request only. */
function troubleOf({ question, call }: Turn, isFirst: boolean): Refused | undefined {
  const { trouble } = question
  if (trouble?.call !== call || trouble.kind === 'stall') return undefined
  return isFirst || trouble.kind === 'refusal' ? trouble.kind : undefined
}

function troubledScript(turn: Turn, kind: Refused): Script {
  switch (kind) {
    case 'error':
      return error(500)
    case 'limit':
      return error(429, 'slow down', { 'retry-after-ms': '150' })
    case 'cut-head':
      return cut()
    case 'cut-text':
      return cut(halvesOf(spoken(turn))[0])
    case 'refusal':
      return error(400, 'scripted refusal')
  }
}

/** Splits between characters, never inside one. */
function halvesOf(text: string): readonly [string, string] {
  const letters = Array.from(text)
  const half = Math.ceil(letters.length / 2)
  return [letters.slice(0, half).join(''), letters.slice(half).join('')]
}

/** Text of the model in this call, besides its tool calls. */
function spoken({ question, call, ...seen }: Turn): string {
  return toolRounds(question)[call]?.text ?? lastReply(question, seen)
}

function answerScript(turn: Turn, isFirst: boolean, aim: () => void): Script {
  const { question, call } = turn
  const usage = usageOf(question, call)
  const at = (moment: AimedKill['moment']) => {
    const aimed = isFirst && question.aim?.call === call && question.aim.moment === moment
    return aimed ? [{ call: () => void setTimeout(aim, question.aim?.afterMs) }] : []
  }
  const round = toolRounds(question)[call]
  if (round) {
    const said = round.text === '' ? {} : { text: round.text }
    return [...at('arrival'), ...callTools(round.calls, { usage, ...said }), ...at('middle'), ...at('end')]
  }
  const [first, second] = halvesOf(spoken(turn))
  const pace = { chunks: Math.ceil(question.chunks / 2), delayMs: question.delayMs }
  const stalledMs = isFirst && question.trouble?.kind === 'stall' ? question.trouble.ms : 0
  return [
    ...at('arrival'),
    { text: first, ...pace },
    ...at('middle'),
    { waitMs: stalledMs + question.delayMs },
    ...reply(second, { usage, ...pace }),
    ...at('end'),
  ]
}
