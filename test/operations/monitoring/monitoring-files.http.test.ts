import { readFile } from 'node:fs/promises'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { parse } from 'yaml'
import { createMcpMetrics } from '../../../src/mcp-servers/mcp-metrics.ts'
import { watchInvariants } from '../../../src/operations/invariant-watch.ts'
import { registerLibraryState } from '../../../src/operations/library-upkeep.ts'
import { createFallbackMetrics } from '../../../src/sources/fallback/fallback-metrics.ts'
import { type Sample, samplesOf, scrape } from '../../support/metrics.ts'
import { parsePromql } from '../../support/promql.ts'
import { error, reply } from '../../support/scripted-upstream.ts'
import { LiveStream } from '../../support/world/live-stream.ts'
import { ask } from '../../support/world/requests.ts'
import { openWorld, type World } from '../../support/world/world.ts'

type Target = { readonly expr: string; readonly legendFormat: string }
type Panel = { readonly id: number; readonly title: string; readonly targets?: readonly Target[] }
type Rule = {
  readonly alert: string
  readonly expr: string
  readonly annotations: Readonly<Record<string, string>>
}

const dashboard = JSON.parse(await readFile('ops/grafana-dashboard.json', 'utf8')) as {
  readonly panels: readonly Panel[]
}
const alerts = parse(await readFile('ops/alerts.yml', 'utf8')) as {
  readonly groups: readonly { readonly rules: readonly Rule[] }[]
}
const rules = alerts.groups.flatMap((group) => group.rules)

/** Grafana puts an interval for its variable before Prometheus sees the query. */
const queries = [
  ...dashboard.panels.flatMap((panel) =>
    (panel.targets ?? []).map(
      ({ expr }) => [panel.title, expr.replaceAll('$__rate_interval', '5m')] as const,
    ),
  ),
  ...rules.map((rule) => [rule.alert, rule.expr] as const),
]

/** What Prometheus adds itself to what it scrapes. */
const ownLabels = ['job', 'instance']
const ownMetrics = ['up']

const token = 'a token for metrics'
let world: World
let samples: readonly Sample[]
let watch: ReturnType<typeof watchInvariants> | undefined

/** A service after turns that succeeded, failed and were refused: only then do all metrics have their labels. */
beforeAll(async () => {
  let busy = false
  const pressure = {
    reason: () => (busy ? ('heap' as const) : undefined),
    isShortOfMemory: () => false,
    stop: () => undefined,
  }
  world = await openWorld({ telemetry: { metricsToken: token }, dataDir: '/tmp', pressure })
  // Metrics of settings that this world does not have.
  const { registry } = world.service
  createFallbackMetrics(registry)
  createMcpMetrics(registry).called('other', 'ok', 0.1)
  registerLibraryState(registry, () => 'ok')
  watch = watchInvariants(world.db.database, world.service.registry, pino({ level: 'silent' }))
  world.upstream.enqueue([{ toolCalls: [{ name: 'list_files', arguments: {} }] }], reply('Here they are.'))
  await new LiveStream(await world.chat(ask('Which files?', { stream: true }))).rest()
  world.upstream.enqueue(error(400, 'no'))
  await world.chat(ask('What fails?'))
  busy = true
  expect((await world.chat(ask('And now?'))).status).toBe(503)
  // The first check of the rules ends at some moment after the start.
  samples = await vi.waitFor(async () => {
    const found = samplesOf(await scrape(world.service, token))
    expect(found.map(({ name }) => name)).toContain('service_broken_invariants')
    return found
  }, 120_000)
})

afterAll(async () => {
  await watch?.stop()
  await world.close()
})

const labelsOf = (metric: string) =>
  new Set(samples.filter(({ name }) => name === metric).flatMap(({ labels }) => Object.keys(labels)))

test('there is something to check', () => {
  expect(queries.length).toBeGreaterThan(40)
  expect(rules.length).toBeGreaterThan(10)
})

describe.each(queries)('%s: %s', (_, expression) => {
  test('is PromQL over metrics and labels that the service has', () => {
    const { selectors, groupings } = parsePromql(expression)
    const asked = selectors.map(({ metric }) => metric).filter((metric) => !ownMetrics.includes(metric))
    const known = new Set(samples.map(({ name }) => name))
    expect(asked.filter((metric) => !known.has(metric))).toEqual([])
    for (const { metric, matchers } of selectors) {
      const labels = [...labelsOf(metric), ...ownLabels]
      for (const { label } of matchers) expect(labels).toContain(label)
    }
    const all = [...asked.flatMap((metric) => [...labelsOf(metric)]), ...ownLabels]
    for (const label of groupings) expect(all).toContain(label)
  })
})

test('every alert says what it means, and docs/monitoring.md what to do', async () => {
  const docs = await readFile('docs/monitoring.md', 'utf8')
  for (const { alert, annotations } of rules) {
    expect(Object.keys(annotations)).toEqual(['summary', 'description'])
    expect(docs).toContain(`\`${alert}\``)
  }
})

test('panels have numbers of their own', () => {
  const ids = dashboard.panels.map((panel) => panel.id)
  expect(new Set(ids).size).toBe(ids.length)
})

test('the check sees what is wrong: a bad query, a metric that does not exist', () => {
  for (const wrong of ['rate(service_runs[5m)', 'sum by (state service_runs', '3 +', '']) {
    expect(() => parsePromql(wrong)).toThrow()
  }
  const { selectors, groupings } = parsePromql('sum by (state) (rate(service_x_total{kind=~"a|b"}[5m])) / up')
  expect(selectors).toEqual([
    { metric: 'service_x_total', matchers: [{ label: 'kind', operator: '=~', value: 'a|b' }] },
    { metric: 'up', matchers: [] },
  ])
  expect(groupings).toEqual(['state'])
})
