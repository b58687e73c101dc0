/**
 * `npm run bench -- [--short] [part...]`: what a turn costs, as ratios to floors that run beside it. `npm run bench --
 * quotations`, `relevance`, `search [passages...]`, `vectors [count] [dimensions]` and `import [segments]` run alone, see the files of these names.
 */
import { parseArgs } from 'node:util'
import { bundleService } from '../../build/bundle.ts'
import { measureImport } from './import.ts'
import { measureQuotations } from './quotations.ts'
import { measureRelevance } from './relevance.ts'
import { type Figure, print, printFigure, reached } from './report.ts'
import { measureSearch } from './search/search.ts'
import { measureEqualRequests } from './turns/equal-requests.ts'
import { measureGets } from './turns/gets.ts'
import { measureGrowth } from './turns/growth.ts'
import { measureLatency } from './turns/latency.ts'
import { measureManyAccounts } from './turns/many-accounts.ts'
import { measureRates } from './turns/rates.ts'
import { measureReplicas } from './turns/replicas.ts'
import { measureStartup } from './turns/startup.ts'
import { measureStatements } from './turns/statements.ts'
import { measureStreams } from './turns/streams.ts'
import { openWorld, type World } from './turns/world.ts'
import { measureVectors } from './vectors.ts'

type Part = (
  world: World,
  length: { readonly rounds: number; readonly seconds: number; readonly short: boolean },
) => Promise<readonly Figure[]>

const parts: Readonly<Record<string, Part>> = {
  statements: measureStatements,
  latency: measureLatency,
  rates: measureRates,
  'equal-requests': measureEqualRequests,
  'many-accounts': measureManyAccounts,
  replicas: measureReplicas,
  gets: measureGets,
  streams: measureStreams,
  startup: measureStartup,
  growth: measureGrowth,
}

const { values, positionals } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    library: { type: 'string', multiple: true, default: [] },
    cases: { type: 'string', multiple: true, default: [] },
    questions: { type: 'string', multiple: true, default: [] },
    'without-starter': { type: 'boolean', default: false },
    semantic: { type: 'string' },
    results: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})
if (positionals.join() === 'quotations') {
  const { library: libraries, cases, verbose, results: resultsFile } = values
  process.exit((await measureQuotations({ libraries, cases, verbose, resultsFile })) ? 0 : 1)
}
if (positionals.join() === 'relevance') {
  const { library: libraries, questions, verbose } = values
  const withoutStarter = values['without-starter']
  const semantic = values.semantic === undefined ? undefined : Number(values.semantic)
  process.exit((await measureRelevance({ libraries, questions, withoutStarter, semantic, verbose })) ? 0 : 1)
}
const [what, ...numbers] = positionals
if (what === 'vectors') {
  await measureVectors(numbers)
  process.exit(0)
}
if (what === 'search' || what === 'import') {
  const [first, ...more] = numbers.map(Number)
  if (what === 'import') await measureImport(first)
  else await measureSearch(first === undefined ? [] : [first, ...more])
  process.exit(0)
}
const { short } = values
const length = {
  short,
  rounds: Number(values.rounds ?? 3),
  seconds: Number(values.seconds ?? (short ? 1 : 3)),
}
const unknown = positionals.filter((name) => !(name in parts))
if (unknown.length > 0)
  throw new TypeError(`no part ${unknown.join(', ')}; parts: ${Object.keys(parts).join(', ')}`)
const chosen = Object.entries(parts).filter(
  ([name]) => positionals.length === 0 || positionals.includes(name),
)

await bundleService({ ifChanged: true })
const figures: Figure[] = []
for (const [name, measure] of chosen) {
  print(`\n${name}`)
  const world = await openWorld()
  try {
    const measured = await measure(world, length)
    for (const figure of measured) printFigure(figure)
    figures.push(...measured)
  } finally {
    await world.close()
  }
}
const missed = figures.filter((figure) => reached(figure) === 'missed')
print(`\n${figures.length} figures, ${missed.length} below their gate`)
process.exitCode = missed.length > 0 ? 1 : 0
