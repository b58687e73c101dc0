import type { AgentEvent, StepRecord, ToolStep } from '../../src/agent/events.ts'
import { defaultLimits } from '../../src/agent/limits.ts'
import { runAgent } from '../../src/agent/loop/loop.ts'
import type { Journal, LoopInput } from '../../src/agent/loop/loop-input.ts'
import type { CallEnd, ModelRequest, Provider, ToolCall } from '../../src/agent/provider.ts'
import type { Tool, Toolbox, ToolOutcome } from '../../src/agent/tools.ts'

/** Collects the deferred writes of the tests. */
export type Notebook = string[]

/** A scripted piece of a model's reply: text, or the end of the call. */
export type ModelChunk = { readonly type: 'text'; readonly text: string } | CallEnd

export type Play =
  | readonly ModelChunk[]
  | ((request: ModelRequest, signal: AbortSignal) => Iterable<ModelChunk>)

export type ScriptedProvider = Provider & { readonly requests: readonly ModelRequest[] }

/** Answers each call with the next script. A call without one is an error of the test and fails the turn. */
export function scriptedProvider(...plays: readonly Play[]): ScriptedProvider {
  const requests: ModelRequest[] = []
  const provider = providerOf(async function* (request, signal) {
    const play = plays[requests.length]
    requests.push({ ...request, messages: [...request.messages] })
    if (!play) throw new Error('no play left for this model call')
    for (const chunk of typeof play === 'function' ? play(request, signal) : play) {
      if (signal.aborted) {
        yield { type: 'error', kind: 'aborted', message: 'aborted' }
        return
      }
      yield chunk
    }
  })
  return { ...provider, requests }
}

/** A model that yields what `play` yields, up to the end of the call. */
export function providerOf(
  play: (request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelChunk>,
): Provider {
  return {
    async ask(request, signal, onText) {
      for await (const chunk of play(request, signal)) {
        if (chunk.type !== 'text') return chunk
        if (!onText(chunk.text)) return { type: 'enough' }
      }
      throw new Error('the play does not say how the call ends')
    },
  }
}

export const usage = { promptTokens: 10, completionTokens: 5, estimated: false }

/** A complete text reply in the given pieces. */
export function says(...pieces: readonly string[]): ModelChunk[] {
  return [
    ...pieces.map((text) => ({ type: 'text' as const, text })),
    { type: 'finish', reason: 'stop', toolCalls: [], usage },
  ]
}

export type Asked = readonly [name: string, args: string | Readonly<Record<string, unknown>>]

/** A reply with tool calls, optionally after some text. All calls have one id, as with some model servers. */
export function asks(calls: readonly Asked[], text = ''): ModelChunk[] {
  const toolCalls = calls.map(([name, args]) => ({
    id: 'call_0',
    name,
    arguments: typeof args === 'string' ? args : JSON.stringify(args),
  }))
  return [
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    { type: 'finish', reason: 'tool_calls', toolCalls, usage },
  ]
}

export function tool(
  name: string,
  execute: Tool<Notebook>['execute'] = async (args) => ({ content: JSON.stringify({ ok: name, args }) }),
): Tool<Notebook> {
  return {
    spec: { name, description: name, parameters: { type: 'object' } },
    describe: (args) => `${name} ${JSON.stringify(args)}`,
    execute,
  }
}

export type MemoryJournal = Journal<Notebook> & {
  readonly records: StepRecord[]
  readonly notebook: Notebook
}

/** @param failAt number of the step whose write fails. */
export function memoryJournal(finished: readonly StepRecord[] = [], failAt = Infinity): MemoryJournal {
  const records: StepRecord[] = [...finished]
  const notebook: Notebook = []
  const add = (step: number, record: StepRecord) => {
    if (step === failAt) throw new Error('the journal cannot be written')
    if (step !== records.length + 1) throw new Error(`step ${step} written after ${records.length}`)
    records.push(record)
  }
  return {
    records,
    notebook,
    model: (record) => add(records.length + 1, record),
    async tool(step, call: ToolCall, outcome: ToolOutcome<Notebook>): Promise<ToolStep> {
      const { content, isError = false, sources = [] } = outcome
      const base: ToolStep = { kind: 'tool', call, content, isError, sources, files: [] }
      const change = await outcome.commit?.(notebook)
      const record =
        change && 'error' in change
          ? { ...base, content: JSON.stringify({ error: change.error }), isError: true }
          : { ...base, files: change?.files ?? [] }
      add(step, record)
      return record
    },
  }
}

export type Overrides = Partial<Omit<LoopInput<Notebook>, 'limits' | 'journal' | 'tools'>> & {
  readonly tools?: readonly Tool<Notebook>[]
  readonly journal?: MemoryJournal
  readonly limits?: Partial<LoopInput<Notebook>['limits']>
}

export function loopInput(provider: Provider, overrides: Overrides = {}): LoopInput<Notebook> {
  let calls = (overrides.finished ?? []).flatMap((step) =>
    step.kind === 'model' ? step.toolCalls : [],
  ).length
  return {
    provider,
    clientTools: [],
    toolChoice: 'auto',
    messages: [{ role: 'user', content: 'question' }],
    finished: [],
    sampling: {},
    journal: memoryJournal(),
    budget: async () => null,
    toolBudget: async () => null,
    newCallId: () => {
      calls += 1
      return `own_${calls}`
    },
    signal: new AbortController().signal,
    ...overrides,
    tools: toolbox(overrides.tools ?? []),
    limits: { ...defaultLimits, ...overrides.limits },
  }
}

function toolbox(tools: readonly Tool<Notebook>[]): Toolbox<Notebook> {
  return {
    specs: tools.map(({ spec }) => spec),
    get: (name) => tools.find(({ spec }) => spec.name === name),
  }
}

/** Runs the turn to its end. */
export async function play(provider: Provider, overrides: Overrides = {}): Promise<readonly AgentEvent[]> {
  return collected(loopInput(provider, overrides))
}

/** All events of the turn, with its terminal event last. */
export async function collected(
  input: LoopInput<Notebook>,
  onText: (event: AgentEvent) => void = () => undefined,
): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = []
  const end = await runAgent(input, (event) => {
    events.push(event)
    onText(event)
  })
  return [...events, end]
}

export const typesOf = (events: readonly AgentEvent[]) =>
  events.map((event) => ('step' in event ? `${event.step} ${event.type}` : event.type))

export const textOf = (events: readonly AgentEvent[]) =>
  events.map((event) => (event.type === 'text.delta' ? event.text : '')).join('')

export const resultsOf = (events: readonly AgentEvent[]) =>
  events.flatMap((event) => (event.type === 'tool.finished' ? [event.record] : []))
