import { readSegment } from '../../../src/sources/importers/markup.ts'
import { parseCsvLine } from '../../../src/sources/importers/sefaria/format/csv.ts'
import { passageCount, splitPassages } from '../../../src/sources/importers/split-passages.ts'
import { wordsOf } from '../../../src/sources/text/tokens.ts'
import { runningMs } from '../../support/running-clock.ts'
import { nameOf } from './case.ts'
import type { Measured } from './growth.ts'
import type { TextKind } from './kinds.ts'
import { faultsOf, type Limits } from './limits.ts'
import { textKinds } from './text-kinds.ts'

/**
 * Parsers that only command-line importers use. They block no event loop, but must not take quadratic time.
 */
const parsers: Readonly<Record<string, (text: string) => unknown>> = {
  'line of CSV': parseCsvLine,
  'markup of an export': readSegment,
  'cut of a text': (text) => splitPassages(text, passageCount(text)),
  'words of a text': wordsOf,
}

/** Longer than any line or segment of the libraries that are imported. */
const sizes = [1_000, 4_000, 16_000, 64_000]
const tries = 3

/** Calls each parser in this process with texts of growing size, and reports how long each took. */
export function growParsers(only: string, limits: Limits, onMeasured: (measured: Measured) => void): void {
  for (const [parser, parse] of Object.entries(parsers)) {
    for (const kind of textKinds) {
      const name = nameOf({ subject: `parser ${parser}`, part: 'text', kind: kind.name })
      if (name.includes(only)) growParser(name, `parser ${parser}`, kind, parse, limits, onMeasured)
    }
  }
}

function growParser(
  name: string,
  subject: string,
  kind: TextKind,
  parse: (text: string) => unknown,
  limits: Limits,
  onMeasured: (measured: Measured) => void,
): void {
  for (const bytes of sizes) {
    const text = kind.text({ bytes })
    let loopMs = Number.POSITIVE_INFINITY
    for (let n = 0; n < tries && loopMs > limits.loopMs; n += 1)
      loopMs = Math.min(
        loopMs,
        timeOf(() => parse(text)),
      )
    const strain = { loopMs, healthMs: 0, grownBytes: undefined }
    const faults = faultsOf(strain, bytes, limits)
    onMeasured({ subject, name, bytes, status: 0, strain, faults })
    if (faults.length > 0) return
  }
}

function timeOf(work: () => void): number {
  const began = runningMs()
  work()
  return runningMs() - began
}
