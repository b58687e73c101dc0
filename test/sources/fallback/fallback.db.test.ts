import { pino } from 'pino'
import { Registry } from 'prom-client'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { withTx } from '../../../src/db/client.ts'
import { type Fallback, openFallback } from '../../../src/sources/fallback/fallback.ts'
import {
  createFallbackMetrics,
  type FallbackMetrics,
} from '../../../src/sources/fallback/fallback-metrics.ts'
import type { FallbackSettings } from '../../../src/sources/fallback/fetches.ts'
import type { FallbackLimits } from '../../../src/sources/fallback/limits.ts'
import { SefariaApi } from '../../../src/sources/importers/sefaria/api.ts'
import { importFromApi } from '../../../src/sources/importers/sefaria/import-api.ts'
import { readPassage } from '../../../src/sources/library/passages.ts'
import { checkLibrary } from '../../../src/sources/library/writing/check.ts'
import { lockLibrary } from '../../../src/sources/library/writing/library.ts'
import { searchSources } from '../../../src/sources/search/search.ts'
import { useDatabase } from '../../support/database.ts'
import { type FakeSefaria, startFakeSefaria } from '../../support/fake-sefaria.ts'
import { importLines } from '../../support/library-lines.ts'
import { lampRecords, lampSections, publisherSection } from '../../support/publisher.ts'

let fake: FakeSefaria
let registry: Registry
let metrics: FallbackMetrics

const db = useDatabase()
beforeEach(async () => {
  resetMetrics()
  fake = await startFakeSefaria()
  fake.sections = lampSections
  fake.records = lampRecords
})
afterEach(async () => {
  await fake.close()
  expect((await checkLibrary(db.database.system, 1_000)).faults).toEqual([])
  await db.database.systemPool.query('delete from works')
})

function resetMetrics(): void {
  registry = new Registry()
  metrics = createFallbackMetrics(registry)
}

const open = (limits: Partial<FallbackLimits> = {}, settings: Partial<FallbackSettings> = {}): Fallback =>
  openFallback(
    db.database,
    { baseUrl: fake.baseUrl, licenses: [], ...settings },
    { log: pino({ level: 'silent' }), metrics, limits: { lookupMs: 20_000, storeMs: 20_000, ...limits } },
  )

/** The outcomes that were counted in this test, and how many durations. */
async function counted(): Promise<Readonly<Record<string, number>>> {
  const outcomes = await registry.getSingleMetric('service_fallback_fetches_total')?.get()
  const durations = await registry.getSingleMetric('service_fallback_fetch_duration_seconds')?.get()
  const timed = ((durations?.values ?? []) as { metricName?: string; value: number }[])
    .filter(({ metricName }) => metricName?.endsWith('_count'))
    .reduce((sum, { value }) => sum + value, 0)
  const found = (outcomes?.values ?? []).filter(({ value }) => value > 0)
  const byOutcome = Object.fromEntries(found.map(({ labels, value }) => [labels['outcome'], value]))
  return { ...byOutcome, ...(timed > 0 && { timed }) }
}

const read = async (ref: string) => {
  const found = await readPassage(db.database.system, ref, {})
  return 'passages' in found ? found.passages : []
}

const refs = async () =>
  (await db.database.systemPool.query<{ ref: string }>('select ref from passages order by ordinal')).rows.map(
    ({ ref }) => ref,
  )

/** The passages of the publisher whose licence is free, in reading order. */
const free = ['House Lamp, Introduction 1', 'House Lamp 1:1', 'House Lamp 1:2', 'House Lamp 3:1']

test('a fetched ref is stored as a whole section, with version, licence and address', async () => {
  const answer = await open().ask('House Lamp 1:2')
  expect(answer).toEqual({ kind: 'held', ref: 'House Lamp 1:2' })
  expect(await refs()).toEqual(['House Lamp 1:1', 'House Lamp 1:2'])
  expect(await read('House Lamp 1:2')).toMatchObject([
    {
      language: 'he',
      version: 'Manuscript',
      license: 'CC0',
      heRef: 'נר הבית א׳:ב׳',
      text: 'ואורו הולך וגדל',
    },
    {
      ...{ language: 'en', version: 'Community Translation', license: 'CC-BY', author: 'Rivka of Nowhere' },
      ...{ url: 'https://www.sefaria.org/House_Lamp.1.2', text: 'And its light grows and grows.' },
    },
  ])
  const hits = await searchSources(db.database.system, { text: 'light grows', limit: 3 })
  expect(hits[0]?.ref).toBe('House Lamp 1:2')
})

test('sections stand in reading order, in whichever order they are fetched', async () => {
  const { ask } = open()
  for (const ref of ['House Lamp 3:1', 'House Lamp, Introduction 1', 'House Lamp 1'])
    expect(await ask(ref)).toMatchObject({ kind: 'held' })
  expect(await refs()).toEqual(free)
  expect(await read('נר הבית ג א')).toHaveLength(2)
})

test('a text with a refused licence is linked, and nothing is stored', async () => {
  const answer = await open().ask('House Lamp 2:1')
  expect(answer).toEqual({
    kind: 'linked',
    at: { ref: 'House Lamp 2:1', url: 'https://www.sefaria.org/House_Lamp.2.1', license: 'CC-BY-NC' },
  })
  expect(await refs()).toEqual([])
})

test('a restricted licence is stored when the operator allows it', async () => {
  expect(await open({}, { licenses: ['cc-by-nc'] }).ask('House Lamp 2:1')).toMatchObject({ kind: 'held' })
  expect(await read('House Lamp 2:1')).toMatchObject([{ version: 'Press', license: 'CC-BY-NC' }])
})

test('a ref that the publisher does not have is asked for once', async () => {
  const { ask } = open()
  expect(await ask('House Lamp 9:1')).toEqual({ kind: 'none' })
  const before = fake.requests.length
  expect(await ask('House Lamp 9:1')).toEqual({ kind: 'none' })
  expect(fake.requests).toHaveLength(before)
})

test('each outcome of a fetch is counted, and what was not sent has no duration', async () => {
  const first = open()
  for (const ref of ['House Lamp 1:1', 'House Lamp 2:1', 'House Lamp 9:1', 'House Lamp 9:1', 'no ref'])
    await first.ask(ref)
  expect(await counted()).toEqual({ stored: 1, licence: 1, not_found: 1, timed: 3 })
  const outcomeOf = async (ref: string, limits: Partial<FallbackLimits> = {}) => {
    resetMetrics()
    await open(limits).ask(ref)
    return counted()
  }
  expect(await outcomeOf('House Lamp 1:1', { passages: 1 })).toEqual({ held: 1, timed: 1 })
  expect(await outcomeOf('House Lamp 3:1', { passages: 0 })).toEqual({ too_large: 1, timed: 1 })
  fake.fail('/api/v3/', 500)
  expect(await outcomeOf('House Lamp 3:1')).toEqual({ failed: 1, timed: 1 })
  expect(await registry.metrics()).toContain('service_fallback_fetches_total{outcome="stored"} 0')
})

test('words without a number are not sent to the publisher', async () => {
  const { ask } = open()
  for (const text of ['House Lamp', 'what is joy', '12', 'x'.repeat(200)]) await ask(text)
  expect(fake.requests).toEqual([])
})

test('a slow publisher is given up in time, and is left alone for a while', async () => {
  fake.slow('/api/v3/', 5_000)
  const { ask } = open({ lookupMs: 100 })
  expect(await ask('House Lamp 1:1')).toEqual({ kind: 'none' })
  const before = fake.requests.length
  expect(await ask('House Lamp 3:1')).toEqual({ kind: 'none' })
  expect(fake.requests).toHaveLength(before)
  expect(await counted()).toEqual({ timeout: 1, circuit_open: 1, timed: 1 })
})

test.each([429, 500, 503])('a publisher that answers %i is left alone for a while', async (status) => {
  fake.fail('/api/v3/', status)
  const { ask } = open()
  expect(await ask('House Lamp 1:1')).toEqual({ kind: 'none' })
  expect(await ask('House Lamp 3:1')).toEqual({ kind: 'none' })
  expect(fake.requests).toHaveLength(1)
})

test('a failure is not remembered as the absence of the text', async () => {
  fake.fail('/api/v3/', 500)
  const { ask } = open({ pauseMs: 0 })
  expect(await ask('House Lamp 1:1')).toEqual({ kind: 'none' })
  expect(await ask('House Lamp 1:1')).toMatchObject({ kind: 'held' })
})

test('a reply above the limit of bytes is dropped, and nothing is stored', async () => {
  expect(await open({ replyBytes: 500 }).ask('House Lamp 1:1')).toEqual({ kind: 'none' })
  expect(await refs()).toEqual([])
})

const chapter = [['אחת', 'שתים'], ['שלוש']]
const first = { indexTitle: 'House Lamp', book: 'House Lamp', sections: ['7', '1'], textDepth: 3 }
/** A chapter of two sections, and its first section, as the API gives each. */
const deep = [
  publisherSection('House Lamp 7', 'נר הבית ז׳', { manuscript: chapter as never }, { textDepth: 3 }),
  publisherSection('House Lamp 7:1', 'נר הבית ז׳:א׳', { manuscript: chapter[0] ?? [] }, first),
]

test('a work with three levels of numbers gets the whole chapter', async () => {
  fake.sections = deep
  expect(await open().ask('House Lamp 7:1:2')).toEqual({ kind: 'held', ref: 'House Lamp 7:1:2' })
  expect(await refs()).toEqual(['House Lamp 7:1:1', 'House Lamp 7:1:2', 'House Lamp 7:2:1'])
})

test('of a chapter above the limit of passages only the section is stored', async () => {
  fake.sections = deep
  expect(await open({ passages: 2 }).ask('House Lamp 7:1:2')).toMatchObject({ kind: 'held' })
  expect(await refs()).toEqual(['House Lamp 7:1:1', 'House Lamp 7:1:2'])
})

test('a section above the limit of passages is linked', async () => {
  expect(await open({ passages: 1 }).ask('House Lamp 1:1')).toMatchObject({ kind: 'linked' })
  expect(await refs()).toEqual([])
})

test('a stored version above its limit does not grow, and the text is linked', async () => {
  const { ask } = open({ versionTexts: 1 })
  expect(await ask('House Lamp 1:1')).toMatchObject({ kind: 'held' })
  expect(await ask('House Lamp 3:1')).toMatchObject({ kind: 'linked', at: { ref: 'House Lamp 3:1' } })
  expect(await refs()).toEqual(['House Lamp 1:1', 'House Lamp 1:2'])
  expect(await counted()).toEqual({ stored: 1, too_large: 1, timed: 2 })
})

test('a process fetches no more than its rate allows', async () => {
  const { ask } = open({ fetches: 1 })
  expect(await ask('House Lamp 1:1')).toMatchObject({ kind: 'held' })
  expect(await ask('House Lamp 3:1')).toEqual({ kind: 'none' })
  expect(await counted()).toEqual({ stored: 1, rate_limited: 1, timed: 1 })
})

test('the fetches of a process go on in the next window of its rate', async () => {
  const { ask } = open({ fetches: 1, perSeconds: 1 })
  await ask('House Lamp 1:1')
  await expect.poll(() => ask('House Lamp 3:1')).toMatchObject({ kind: 'held' })
})

test('a turn asks for no more refs than it may', async () => {
  const ask = open({ perTurn: 1 }).forTurn()
  expect(await ask('House Lamp 1:1')).toMatchObject({ kind: 'held' })
  expect(await ask('House Lamp 3:1')).toEqual({ kind: 'none' })
  expect(await ask('House Lamp 1:1')).toMatchObject({ kind: 'held' })
})

test('a chapter of a large work is stored in a thread, and nothing of the work is lost', async () => {
  const long = Array.from({ length: 120 }, (_, i) => `Passage number ${i + 1} of the long chapter.`)
  fake.sections = [publisherSection('House Lamp 5', 'נר הבית ה׳', { community: long }), ...lampSections]
  const { ask } = open()
  expect(await ask('House Lamp 5:120')).toMatchObject({ kind: 'held' })
  expect(await ask('House Lamp 1:1')).toMatchObject({ kind: 'held' })
  expect(await refs()).toHaveLength(122)
  expect(await read('House Lamp 5:120')).toMatchObject([{ text: 'Passage number 120 of the long chapter.' }])
})

test('concurrent lookups of a ref are one fetch', async () => {
  const { ask } = open()
  const answers = await Promise.all(Array.from({ length: 5 }, () => ask('House Lamp 1:1')))
  expect(answers.every(({ kind }) => kind === 'held')).toBe(true)
  expect(fake.requests.filter(({ path }) => path.includes('House_Lamp.1.1'))).toHaveLength(1)
})

test('two replicas that fetch sections of a work at once store both', async () => {
  const [one, other] = [open(), open()]
  const asked = ['House Lamp 1:1', 'House Lamp 3:1', 'House Lamp, Introduction 1', 'House Lamp 1:2']
  const answers = await Promise.all(asked.map((ref, i) => (i % 2 === 0 ? one : other).ask(ref)))
  expect(answers.map(({ kind }) => kind)).toEqual(['held', 'held', 'held', 'held'])
  expect(await refs()).toEqual(free)
})

test('a lookup ends at an abort, and the fetch continues for others', async () => {
  const { ask } = open()
  const stop = new AbortController()
  const [first, second] = [ask('House Lamp 1:1', stop.signal), ask('House Lamp 1:1')]
  stop.abort()
  expect(await first).toEqual({ kind: 'none' })
  expect(await second).toMatchObject({ kind: 'held' })
})

test('a lookup does not wait longer than it may for an import that writes', async () => {
  const { ask } = open({ lookupMs: 300 })
  const answer = await withTx(db.database, 'system', async (tx) => {
    await lockLibrary(tx)
    return ask('House Lamp 1:1')
  })
  expect(answer).toEqual({ kind: 'none' })
})

const full = () =>
  importFromApi(db.database, new SefariaApi(fake.baseUrl, { intervalMs: 0 }), {
    titles: ['House Lamp'],
    allowLicenses: ['cc-by-nc'],
  })

const chained = lampSections.map((section, i) => ({ ...section, next: lampSections[i + 1]?.ref ?? null }))

test('a full import takes over what was fetched', async () => {
  await open().ask('House Lamp 3:1')
  const versions = lampSections.flatMap((one) => one['available_versions'] as { versionTitle: string }[])
  const available_versions = [...new Map(versions.map((one) => [one.versionTitle, one])).values()]
  fake.sections = chained.map((section) => ({ ...section, available_versions }))
  fake.shapes = { 'House Lamp': ['House Lamp, Introduction', 'House Lamp'] }
  expect((await full()).failed).toEqual([])
  expect(await refs()).toEqual(free.toSpliced(3, 0, 'House Lamp 2:1'))
  expect(await read('House Lamp 3:1')).toHaveLength(2)
})

test('a fetched section leaves an imported work as it is', async () => {
  fake.sections = [chained[0], { ...chained[1], next: null }] as never
  fake.shapes = { 'House Lamp': ['House Lamp, Introduction', 'House Lamp'] }
  await full()
  const imported = () => Promise.all(free.slice(0, 3).map(read))
  const before = await imported()
  fake.sections = lampSections
  expect(await open().ask('House Lamp 3:1')).toMatchObject({ kind: 'held' })
  expect(await imported()).toEqual(before)
  expect(await read('House Lamp 3:1')).toHaveLength(2)
})

test('a work of the operator with the same title is not changed', async () => {
  const line = { work: 'House Lamp', ref: 'House Lamp 1:1', en: 'Our own lamp.', license: 'own' }
  await importLines(db.database, [line])
  expect(await open().ask('House Lamp 3:1')).toMatchObject({ kind: 'linked' })
  expect(await refs()).toEqual(['House Lamp 1:1'])
})

test('the title and the numbers of a Hebrew ref reach the publisher in its spelling', async () => {
  fake.sections = [publisherSection('Genesis 1', 'בראשית א׳', { manuscript: ['בראשית'] })]
  expect(await open().ask('בראשית א א')).toEqual({ kind: 'held', ref: 'Genesis 1:1' })
})
