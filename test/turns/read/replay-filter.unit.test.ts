import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ReplayFilter } from '../../../src/turns/read/replay-filter.ts'
import type { RunEvent } from '../../../src/turns/run/run-events.ts'

const text = (step: number, said: string): RunEvent => ({ type: 'text.delta', step, text: said })
const started = (step: number): RunEvent => ({ type: 'step.started', step })
const toolStarted = (step: number): RunEvent => ({
  type: 'tool.started',
  step,
  name: 'list_files',
  title: '',
})
const toolFinished = (step: number): RunEvent => ({
  type: 'tool.finished',
  step,
  name: 'list_files',
  ok: true,
})
const restarted = (step: number, seq = 1): RunEvent => ({ type: 'step.restarted', step, void_from_seq: seq })
const end = {} as Extract<RunEvent, { type: 'run.completed' }>['end']
const completed: RunEvent = { type: 'run.completed', reason: 'stop', end }
const cancelled: RunEvent = { type: 'run.cancelled', end }

const textOf = (events: readonly RunEvent[]) =>
  events.map((event) => (event.type === 'text.delta' ? event.text : '')).join('')

/** A reader that has shown these events. */
function after(...events: readonly RunEvent[]): ReplayFilter {
  const shown = new ReplayFilter()
  expect(shown.take(events)).toEqual({ news: events, contradicted: false })
  return shown
}

test('what was shown is repeated silently, and what goes beyond it is shown', () => {
  const shown = after({ type: 'run.started' }, started(1), text(1, 'One'), text(1, ' two'))
  const again = [restarted(1), started(1), text(1, 'On'), text(1, 'e tw')]
  expect(textOf(shown.take(again).news)).toBe('')
  const rest = shown.take([text(1, 'o three'), text(1, ' four'), completed])
  expect(rest.contradicted).toBe(false)
  expect(textOf(rest.news)).toBe(' three four')
  expect(rest.news.at(-1)).toEqual(completed)
})

test('text of finished steps holds: only that of the restarted step is compared anew', () => {
  const shown = after(started(1), text(1, 'Let me see.'), toolStarted(2), toolFinished(2), text(3, '\n\nIt'))
  const { news, contradicted } = shown.take([restarted(3), started(3), text(3, '\n\nIt is so.'), completed])
  expect(contradicted).toBe(false)
  expect(textOf(news)).toBe(' is so.')
})

test.each<readonly [string, readonly RunEvent[]]>([
  ['says something else', [text(1, 'Other')]],
  ['goes astray after repeating a part', [text(1, 'On'), text(1, 'ly')]],
  ['goes astray and beyond in one piece', [text(1, 'One twice')]],
  ['ends its step before all was repeated', [text(1, 'One'), toolStarted(2)]],
  ['ends the run before all was repeated', [text(1, 'One'), completed]],
])('a new attempt that %s contradicts', (_how, events) => {
  const shown = after(started(1), text(1, 'One two'))
  const { news, contradicted } = shown.take([restarted(1), started(1), ...events])
  expect(contradicted).toBe(true)
  expect(textOf(news)).toBe('')
  expect(news).not.toContain(completed)
})

test('a cancelled run ends with its own end, however much of its text was repeated', () => {
  const shown = after(started(1), text(1, 'One two'))
  const { news, contradicted } = shown.take([restarted(1), cancelled])
  expect(contradicted).toBe(false)
  expect(news.at(-1)).toEqual(cancelled)
})

test('a run that is told from its start again shows nothing twice', () => {
  const before = [
    { type: 'run.started' } as const,
    started(1),
    text(1, 'One'),
    toolStarted(2),
    toolFinished(2),
    text(3, ' two'),
  ]
  const shown = after(...before)
  shown.reset()
  // As the log has it: deltas joined, and the abandoned attempt's last words not written.
  const log = [
    ...before.slice(0, 5),
    started(3),
    text(3, ' t'),
    restarted(3),
    started(3),
    text(3, ' two three'),
  ]
  const { news, contradicted } = shown.take([...log, completed])
  expect(contradicted).toBe(false)
  expect(textOf(news)).toBe(' three')
  expect(news.filter((event) => event.type.startsWith('tool.'))).toEqual([])
})

test('events of a void step are only hints: they come again with the new attempt', () => {
  const shown = after(started(1), text(1, 'One'), toolStarted(2))
  const { news } = shown.take([restarted(2), toolStarted(2), toolFinished(2)])
  expect(news).toEqual([restarted(2), toolStarted(2), toolFinished(2)])
})

type Attempt = { readonly said: string; readonly cuts: readonly number[] }

/** An attempt at step 1 as events, its text cut into deltas. */
function told({ said, cuts }: Attempt): readonly RunEvent[] {
  const at = [0, ...cuts.map((cut) => cut % (said.length + 1)).sort((a, b) => a - b), said.length]
  return [
    started(1),
    ...at.slice(1).flatMap((to, i) => (to > (at[i] ?? 0) ? [text(1, said.slice(at[i], to))] : [])),
  ]
}

const attempt = fc.record({
  said: fc.string({ unit: fc.constantFrom('a', 'b', 'ש'), maxLength: 5 }),
  cuts: fc.array(fc.nat(10), { maxLength: 3 }),
})

test('after any takeovers the text is final, unless other text was shown', () => {
  fc.assert(
    fc.property(fc.array(attempt, { maxLength: 5 }), attempt, (abandoned, final) => {
      const shown = new ReplayFilter()
      let visible = ''
      let seq = 2
      for (const one of [...abandoned, final]) {
        const isFirst = seq === 2
        const events = [...(isFirst ? [] : [restarted(1, seq)]), ...told(one)]
        const { news, contradicted } = shown.take(one === final ? [...events, completed] : events)
        visible += textOf(news)
        seq += events.length
        if (contradicted) {
          // Rightly: what stands there is no beginning of what this attempt says.
          expect(one.said.startsWith(visible) && one.said.length > visible.length).toBe(false)
          return
        }
        if (one === final) expect(visible).toBe(final.said)
      }
    }),
  )
})
