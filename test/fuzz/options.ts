import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'

export type Options = {
  readonly seed: number
  readonly requests: number
  readonly parsers: boolean
  readonly minutes: number
  readonly only: string | undefined
}

export const help = `npm run fuzz -- [options]

  --requests N      sends N requests that are generated from the OpenAPI document: no 5xx, every refusal in the
                    documented shape                                                                       100000
  --parsers         feeds the parsers with mutations instead, guided by V8's coverage
  --minutes M       how long each parser gets                                                              10
  --only NAME       one parser, or the routes whose name holds NAME
  --seed N          repeats an earlier run
`

/** @returns undefined when help was asked for. @throws TypeError for an option that does not exist or is no number. */
export function readOptions(args: readonly string[]): Options | undefined {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...{ requests: text, minutes: text, only: text, seed: text },
      parsers: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return undefined
  return {
    seed: numberOf('seed', values.seed, randomInt(2 ** 31)),
    requests: numberOf('requests', values.requests, 100_000),
    parsers: values.parsers,
    minutes: numberOf('minutes', values.minutes, 10),
    only: values.only,
  }
}

function numberOf(name: string, text: string | undefined, preset: number): number {
  if (text === undefined) return preset
  const value = Number(text)
  if (!(value >= 0)) throw new TypeError(`--${name} is no number: ${text}`)
  return value
}
