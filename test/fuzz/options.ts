import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { numberOption } from '../support/number-option.ts'

export type Options = {
  readonly seed: number
  readonly requests: number
  readonly parsers: boolean
  readonly stalls: boolean
  /** The short form of `stalls`. */
  readonly short: boolean
  /** File for the report of `stalls`. */
  readonly json: string | undefined
  readonly minutes: number
  readonly only: string | undefined
}

export const help = `npm run fuzz -- [options]

  --requests N      sends N requests that are generated from the OpenAPI document: no 5xx, every refusal in the
                    documented shape                                                                       100000
  --parsers         feeds the parsers with mutations instead, guided by V8's coverage
  --stalls          sends worst cases in growing sizes to every route and page of a running service, and watches its
                    event loop and its memory: fails above 100 ms, or above four times the size of the body
  --short           the short form of --stalls: fewer sizes, none above 1 MB, for a minute
  --json FILE       writes the report of --stalls
  --minutes M       how long each parser gets, or --stalls in all                      10, stalls: 60, short: 1
  --only NAME       one parser, or the routes or cases whose name holds NAME
  --seed N          repeats an earlier run
`

/**
 * @returns undefined for `--help`.
 * @throws TypeError for an unknown option or a value that is not a number.
 */
export function readOptions(args: readonly string[]): Options | undefined {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean', default: false } as const
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...{ requests: text, minutes: text, only: text, seed: text, json: text },
      ...{ parsers: flag, stalls: flag, short: flag, help: flag },
    },
  })
  if (values.help) return undefined
  const { parsers, stalls, short, only, json } = values
  const presetMinutes = short ? 1 : 60
  return {
    seed: numberOption('seed', values.seed, randomInt(2 ** 31)),
    requests: numberOption('requests', values.requests, 100_000),
    ...{ parsers, stalls, short, only, json },
    minutes: numberOption('minutes', values.minutes, stalls ? presetMinutes : 10),
  }
}
