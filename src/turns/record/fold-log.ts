import { estimateTokens } from '../../agent/tokens.ts'
import type { OfferedSource } from '../../agent/tools.ts'
import type { FirstCitation, ToolUse } from '../run/run-events.ts'
import type { CommittedEvent, CommittedStep, Log } from './run-log.ts'
import { costOf } from './turn-store.ts'

/** A call of one of the turn's own tools, and how far it is. */
export type ShownTool = ToolUse & { readonly state: 'now' | 'done' | 'failed' }

/** What a log says of its run. */
export type RunState = {
  /** The finished steps, and what they cost together in micro-credits. */
  readonly steps: readonly CommittedStep[]
  readonly costMicros: bigint
  /** The valid events. */
  readonly events: readonly CommittedEvent[]
  /** The valid events and the markers that declared others void, for a reader that may have shown those. */
  readonly marked: readonly CommittedEvent[]
  readonly text: string
  /** The sources that the text cites, in order. */
  readonly cited: readonly FirstCitation[]
  readonly tools: readonly ShownTool[]
  /** The passages that finished steps showed to the model, each once. */
  readonly passages: readonly OfferedSource[]
}

/** Makes the state of a run from its log. Events of abandoned attempts are dropped here and nowhere else. */
export function foldLog({ events, steps }: Log): RunState {
  const marked = withoutVoid(events)
  const valid = marked.filter(({ event }) => event.type !== 'step.restarted')
  const cited: FirstCitation[] = []
  const tools = new Map<number, ShownTool>()
  let text = ''
  for (const { event } of valid) {
    if (event.type === 'text.delta') {
      text += event.text
      cited.push(...(event.cited ?? []))
    } else if (event.type === 'tool.started') {
      const { step, name, title } = event
      tools.set(step, { step, name, title, at: text.length, state: 'now' })
    } else if (event.type === 'tool.finished') {
      const tool = tools.get(event.step)
      if (tool) tools.set(event.step, { ...tool, state: event.ok ? 'done' : 'failed' })
    }
  }
  const sources = steps.flatMap(({ record }) => (record.kind === 'tool' ? record.sources : []))
  return {
    steps,
    costMicros: costOf(steps),
    events: valid,
    marked,
    text,
    cited,
    tools: [...tools.values()],
    passages: [...new Map(sources.map((source) => [source.mark, source])).values()],
  }
}

function withoutVoid(events: readonly CommittedEvent[]): readonly CommittedEvent[] {
  let kept: CommittedEvent[] = []
  for (const item of events) {
    if (item.event.type === 'step.restarted') {
      const from = item.event.void_from_seq
      kept = kept.filter(({ seq, event }) => seq < from || event.type === 'step.restarted')
    }
    kept.push(item)
  }
  return kept
}

/**
 * The longest text, by estimated tokens, that an attempt produced in the step that none has finished. Void text counts too,
 * because the model's server has charged it.
 */
export function longestOpenText({ events, steps }: Log): string {
  const said = new Map<number, string>()
  for (const { epoch, event } of events) {
    if (event.type !== 'text.delta' || event.step !== steps.length + 1) continue
    said.set(epoch, (said.get(epoch) ?? '') + event.text)
  }
  return [...said.values()].reduce((a, b) => (estimateTokens(b) > estimateTokens(a) ? b : a), '')
}
