import { readStream } from '../support/sse-rules.ts'
import type { Exchange } from './exchange.ts'
import type { Intent } from './plan.ts'

export type RunStatus = 'queued' | 'in_progress' | 'completed' | 'failed' | 'cancelled'

/** Facts that a client learned from one reply, complete or not. */
export type Reply = {
  readonly ending: Exchange['ending']
  readonly status?: number | undefined
  /** Of an error. */
  readonly code?: string | undefined
  /** Of a refusal: whether the process was short of processor time or memory. */
  readonly underPressure?: boolean | undefined
  readonly runId?: string | undefined
  readonly sessionId?: string | undefined
  readonly runStatus?: RunStatus | undefined
  /** The received part of the answer. */
  readonly text?: string | undefined
  /** In credits. */
  readonly cost?: number | undefined
  readonly modelCalls?: number | undefined
  readonly toolCalls?: number | undefined
  readonly replayed: boolean
  readonly retryAfterMs?: number | undefined
  /** Whether the service says that a retry cannot help. */
  readonly final: boolean
  /** Violations of the format. */
  readonly problems: readonly string[]
}

/** Parses a reply of the chat route. */
export function readReply(intent: Intent, got: Exchange): Reply {
  const { headers } = got
  const common = {
    ending: got.ending,
    status: got.status,
    runId: one(headers['x-service-run-id']),
    sessionId: one(headers['x-service-session-id']),
    replayed: headers['idempotency-replayed'] === 'true',
    retryAfterMs: headers['retry-after'] === undefined ? undefined : Number(headers['retry-after']) * 1_000,
    final: headers['x-should-retry'] === 'false',
    problems: [],
  }
  if (got.status === undefined) return common
  if (got.status !== 200) return { ...common, ...readError(got) }
  const read = intent.delivery === 'stream' ? readStreamed(intent, got) : readWhole(got)
  return {
    ...common,
    ...read,
    runId: common.runId ?? read.runId,
    sessionId: common.sessionId ?? read.sessionId,
    problems: [...read.problems, ...idProblems(common, read)],
  }
}

type Read = Pick<Reply, 'problems'> & Partial<Reply>
type Usage = { readonly cost?: number; readonly model_calls?: number; readonly tool_calls?: number }
type Block = {
  readonly run_id?: string
  readonly session_id?: string
  readonly status?: RunStatus
  readonly usage?: Usage
}

function one(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header
}

function idProblems(common: Pick<Reply, 'runId' | 'ending'>, read: Read): string[] {
  if (common.runId === undefined) return ['a reply has no x-service-run-id']
  if (read.runId !== undefined && read.runId !== common.runId) return ['header and body name different runs']
  return []
}

function readError({ text, ending }: Exchange): Read {
  if (ending !== 'complete') return { problems: [] }
  try {
    const { error } = JSON.parse(text) as { error?: Readonly<Record<string, unknown>> }
    const members = ['message', 'type', 'code'].filter((member) => typeof error?.[member] !== 'string')
    const problems = members.map((member) => `an error has no ${member}`)
    const underPressure = String(error?.['message']).startsWith('The service takes no new turns now')
    return { code: String(error?.['code']), underPressure, problems }
  } catch {
    return { problems: [`an error is no JSON: ${text.slice(0, 100)}`] }
  }
}

/** Problems that a stream always has when it is cut. */
const problemsOfTheEnd = /does not end with \[DONE\]|^0 chunks have a finish_reason|^there is no chunk/

function readStreamed(intent: Intent, { text, ending }: Exchange): Read {
  const whole = ending === 'complete'
  const body = whole ? text : wholeFrames(text)
  if (!whole && body === '') return { text: '', problems: [] }
  const stream = readStream(body, { includeUsage: intent.includeUsage })
  const problems = whole
    ? stream.problems
    : stream.problems.filter((problem) => !problemsOfTheEnd.test(problem))
  const block = (stream.error?.x_service ?? stream.finish?.x_service) as Block | undefined
  const opening = stream.chunks[0]?.x_service as Block | undefined
  return {
    ...factsOf(block ?? opening),
    // A stream reports a running turn until its last frames arrive.
    runStatus: block?.status ?? 'in_progress',
    code: stream.error?.code,
    text: stream.text,
    problems: problems.filter((problem) => !isLateUsage(problem, whole)),
  }
}

function wholeFrames(text: string): string {
  const end = text.lastIndexOf('\n\n')
  return end < 0 ? '' : text.slice(0, end + 2)
}

/** The connection can break between the finish chunk and the usage chunk. */
function isLateUsage(problem: string, whole: boolean): boolean {
  return !whole && /^0 chunks follow the finish chunk/.test(problem)
}

type WholeBody = {
  readonly choices: readonly {
    readonly finish_reason: string
    readonly message: { readonly content: string }
  }[]
  readonly usage: { readonly cost: number }
  readonly x_service: Block & { readonly error?: { readonly code: string; readonly message: string } }
}

function readWhole({ text, ending }: Exchange): Read {
  if (ending !== 'complete') return { problems: [] }
  try {
    const { choices, usage, x_service: block } = JSON.parse(text) as WholeBody
    const [choice] = choices
    const content = choice?.message.content ?? ''
    const problems: string[] = []
    if (choices.length !== 1 || choice?.finish_reason !== 'stop') problems.push('a whole reply has no end')
    if (block.usage && block.usage.cost !== usage.cost) problems.push('a whole reply has two costs')
    // A turn that did not complete has a note after its text.
    const said = block.error ? content.replace(/(^|\n\n)\[[^\]]*\]$/, '') : content
    return { ...factsOf(block), code: block.error?.code, text: said, problems }
  } catch {
    return { problems: [`a whole reply is no completion: ${text.slice(0, 100)}`] }
  }
}

function factsOf(block: Block | undefined): Partial<Reply> {
  return {
    runId: block?.run_id,
    sessionId: block?.session_id,
    runStatus: block?.status,
    cost: block?.usage?.cost,
    modelCalls: block?.usage?.model_calls,
    toolCalls: block?.usage?.tool_calls,
  }
}
