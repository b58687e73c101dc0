import type { BodyOf } from '../../http/openapi/docs.ts'
import { eventData } from '../../http/transfers/event-data.ts'
import type { Run } from '../../turns/run/run.ts'
import { isTerminal, type RunEnd, type RunEvent, type TerminalEvent } from '../../turns/run/run-events.ts'
import { endBlock, fileBody, openBlock, type ServiceBlock } from '../turn-reply/service-block.ts'
import { annotationsOf, completionId, failureOf, refusedParam, usageBody } from '../turn-reply/wire.ts'
import { callsOf, finishOf } from './completion.ts'
import type { ReasoningField } from './reasoning.ts'
import type { chunkSchema, delta, progressEvent, streamError } from './reply-schema.ts'

/**
 * Encodes a run's events as chat-completion chunks. Every frame has one choice, except the usage chunk and
 * errors; `id`, `created` and `model` never change. Progress is an empty delta with `x_service.event`, which
 * all tested clients ignore.
 */
export type ChunkEncoder = {
  /** The first frame: the role, and the ids of the turn. */
  start(status: Run['status']): string
  /** Frames for a batch of events; the frames of a terminal event close the stream. */
  events(batch: readonly RunEvent[]): string
  /** A comment for proxies, directly followed by an empty chunk for clients. */
  readonly keepAlive: () => string
  /**
   * The last frames of a stream that this process can no longer follow. A retry of the client finds the run
   * again.
   */
  interrupted(): string
}

type Chunk = BodyOf<typeof chunkSchema>
type Delta = BodyOf<typeof delta>
type Finish = ReturnType<typeof finishOf>
type Progress = BodyOf<typeof progressEvent>
/** The members that are equal in all chunks. */
type Same = Pick<Chunk, 'id' | 'object' | 'created' | 'model'>

export function createChunkEncoder(
  run: Run,
  options: {
    readonly created: number
    readonly includeUsage: boolean
    readonly progress: boolean
    /** The member of deltas that has a line for each tool call. Undefined: none. */
    readonly reasoning?: ReasoningField | undefined
    /** Whether the request used the older form of tools. */
    readonly asFunctions?: boolean
  },
): ChunkEncoder {
  const { asFunctions = false, reasoning } = options
  const base: Same = {
    id: completionId(run),
    object: 'chat.completion.chunk',
    created: options.created,
    model: run.model,
  }
  const frame = (body: Omit<Chunk, keyof Same>) => `data: ${eventData({ ...base, ...body })}\n\n`
  const chunk = (delta: Delta, finish: Finish | null = null, extra: Pick<Chunk, 'x_service'> = {}) =>
    frame({ choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }], ...extra })
  // Text chunks are by far the most frequent ones, so only their text is encoded per chunk.
  const empty = eventData({
    ...base,
    choices: [{ index: 0, delta: { content: '' }, logprobs: null, finish_reason: null }],
  })
  const cut = empty.indexOf('"content":""') + '"content":'.length
  const [head, tail] = [`data: ${empty.slice(0, cut)}`, `${empty.slice(cut + 2)}\n\n`]
  const text = (content: string) => head + eventData(content) + tail

  const progress = (event: Progress) => {
    const line = reasoning && event.type === 'tool.started' ? { [reasoning]: `${event.title}\n` } : undefined
    if (!options.progress) return line ? chunk(line) : ''
    return chunk({ ...line }, null, { x_service: { event } })
  }

  const end = (event: TerminalEvent): string => {
    if (event.type !== 'run.completed')
      return errorFrame(failureOf(event), endBlock(run, event), refusedParam(run, event))
    const annotations = annotationsOf(event.end)
    const calls = callsDelta(run, event.end, asFunctions)
    return [
      event.end.source_list === '' ? '' : text(event.end.source_list),
      event.end.refusal === undefined ? '' : chunk({ refusal: event.end.refusal }),
      annotations.length === 0 ? '' : chunk({ annotations }),
      calls ? chunk(calls) : '',
      chunk({}, finishOf(event.reason, asFunctions), { x_service: endBlock(run, event) }),
      options.includeUsage ? frame({ choices: [], usage: usageBody(event.end.usage) }) : '',
      done,
    ].join('')
  }

  return {
    start: (status) => chunk({ role: 'assistant', content: '' }, null, { x_service: openBlock(run, status) }),
    keepAlive: () => `: keep-alive\n${chunk({})}`,
    interrupted: () =>
      errorFrame(
        {
          code: 'run_failed',
          message: 'The stream was interrupted. The run goes on: send the request again to see it.',
        },
        openBlock(run, 'in_progress'),
      ),
    events(batch) {
      let frames = ''
      let joined = ''
      const flush = () => {
        if (joined !== '') frames += text(joined)
        joined = ''
      }
      for (const event of batch) {
        if (event.type === 'text.delta') {
          joined += event.text
          continue
        }
        flush()
        frames += isTerminal(event) ? end(event) : progressFrame(event, progress)
      }
      flush()
      return frames
    },
  }
}

function callsDelta(run: Run, end: RunEnd, asFunctions: boolean): Delta | undefined {
  const calls = callsOf(run, end, asFunctions)
  if (!calls?.tool_calls) return calls
  return { tool_calls: calls.tool_calls.map((call, index) => ({ index, ...call })) }
}

const done = 'data: [DONE]\n\n'

/**
 * A failure after the headers: a frame without choices. Its type is always that of a request error, because
 * one popular client repeats the whole turn after a server error.
 */
function errorFrame(
  failure: { code: string; message: string },
  block: ServiceBlock,
  param: string | null = null,
): string {
  const error: BodyOf<typeof streamError>['error'] = {
    message: failure.message,
    type: 'invalid_request_error',
    param,
    code: failure.code,
    x_service: block,
  }
  return `data: ${eventData({ error })}\n\n${done}`
}

function progressFrame(
  event: Exclude<RunEvent, TerminalEvent | { type: 'text.delta' }>,
  progress: (event: Progress) => string,
): string {
  switch (event.type) {
    case 'tool.started':
      return progress({ type: 'tool.started', step: event.step, name: event.name, title: event.title })
    case 'tool.finished':
      return progress({ type: 'tool.finished', step: event.step, name: event.name, ok: event.ok })
    case 'file':
      return progress({ type: 'file', step: event.step, file: fileBody(event.file) })
    case 'run.started':
    case 'run.queued':
      return progress({ type: event.type })
    case 'step.started':
    case 'step.restarted':
      return progress({ type: event.type, step: event.step })
  }
}
