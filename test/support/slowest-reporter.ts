import { relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'

const shown = 10

/** A line of a table, and the duration of its test or file in ms. */
type Row = { readonly ms: number; readonly text: string }

/** Prints the ten slowest tests and the ten slowest files of a run at its end. */
export class SlowestReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules.map(fileRow)
    const tests = modules.flatMap(testRows)
    if (tests.length > shown) print('Slowest tests', tests)
    if (files.length > shown) print('Slowest files (with start, imports and hooks)', files)
  }
}

const nameOf = ({ moduleId }: TestModule) => relative(process.cwd(), moduleId)

function testRows(module: TestModule): readonly Row[] {
  return [...module.children.allTests()].map((test) => ({
    ms: test.diagnostic()?.duration ?? 0,
    text: `${nameOf(module)} > ${test.name}`,
  }))
}

/** Duration of a file. Its set-up is the part outside all tests: worker, imports and hooks. */
function fileRow(module: TestModule): Row {
  const { environmentSetupDuration, prepareDuration, collectDuration, setupDuration, duration } =
    module.diagnostic()
  const loading = environmentSetupDuration + prepareDuration + collectDuration + setupDuration
  const tests = testRows(module).reduce((sum, { ms }) => sum + ms, 0)
  // Concurrent tests add up to more than the duration of their file.
  const hooks = Math.max(0, duration - tests)
  return { ms: loading + duration, text: `${nameOf(module)} (set-up ${seconds(loading + hooks)})` }
}

function print(title: string, rows: readonly Row[]): void {
  const lines = rows.toSorted((a, b) => b.ms - a.ms).slice(0, shown)
  const table = lines.map(({ ms, text }) => `  ${seconds(ms).padStart(8)}  ${text}\n`)
  process.stdout.write(`\n${title}:\n${table.join('')}`)
}

const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`
