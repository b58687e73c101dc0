import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { numberOption } from '../support/number-option.ts'

export type Options = {
  readonly seed: number
  readonly minutes: number
  readonly turns: number
  readonly clients: number
  readonly rounds: number
  readonly history: string | undefined
}

export const help = `npm run chaos -- [options]

Three replicas over one Postgres, a scripted model and many clients. First a storm: kills, freezes, SIGTERM, terminated
database connections, crashes of Postgres, cut and stalled wires. Then calm, a rolling restart under load, and a check
of everything that the clients saw against what the database holds. Exit code 1 when a promise was broken.

  --short           the short form: about two minutes
  --seed N          repeats the plan of an earlier run (what it meets depends on the machine)
  --minutes M       how long the storm lasts; 0: no storm, only the rolling restart        30, short: 1
  --turns N         turns started in that time, evenly; when the machine is too slow for
                    it, the storm goes on until they are, for half as long again at most   10000, short: 200
  --clients N       clients at once                                                        48, short: 24
  --rounds N        how often each replica is restarted after the storm                    3, short: 1
  --history FILE    keeps what was done and seen, one JSON object a line
  --help
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
      ...{ short: flag, help: flag },
      ...{ seed: text, minutes: text, turns: text, clients: text, rounds: text, history: text },
    },
  })
  if (values.help) return undefined
  const { short } = values
  return {
    seed: numberOption('seed', values.seed, randomInt(2 ** 31)),
    minutes: numberOption('minutes', values.minutes, short ? 1 : 30),
    turns: numberOption('turns', values.turns, short ? 200 : 10_000),
    clients: numberOption('clients', values.clients, short ? 24 : 48),
    rounds: numberOption('rounds', values.rounds, short ? 1 : 3),
    history: values.history,
  }
}
