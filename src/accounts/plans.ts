/** What a plan allows. All plans stand here and nowhere else. */
export type Plan = {
  readonly name: string
  /** Whether API keys of the account may call the API. */
  readonly apiAccess: boolean
  /** Allowance of a calendar month (UTC), in micro-credits. */
  readonly monthlyMicros: bigint
  /** Turns in progress at once over the whole account. */
  readonly concurrentTurns: number
  /** Stored bytes over all projects, and of one file. */
  readonly storedBytes: number
  readonly fileBytes: number
}

const credit = 1_000_000n
const megabyte = 1024 * 1024

export const plans: Readonly<Record<string, Plan>> = Object.freeze({
  free: {
    name: 'free',
    apiAccess: false,
    monthlyMicros: 50n * credit,
    concurrentTurns: 1,
    storedBytes: 50 * megabyte,
    fileBytes: 10 * megabyte,
  },
  basic: {
    name: 'basic',
    apiAccess: true,
    monthlyMicros: 1_000n * credit,
    concurrentTurns: 4,
    storedBytes: 1024 * megabyte,
    fileBytes: 64 * megabyte,
  },
  pro: {
    name: 'pro',
    apiAccess: true,
    monthlyMicros: 10_000n * credit,
    concurrentTurns: 16,
    storedBytes: 10 * 1024 * megabyte,
    fileBytes: 512 * megabyte,
  },
  unlimited: {
    name: 'unlimited',
    apiAccess: true,
    monthlyMicros: 1_000_000n * credit,
    concurrentTurns: 256,
    storedBytes: 1024 * 1024 * megabyte,
    fileBytes: 2048 * megabyte,
  },
})

export const planNames: readonly string[] = Object.keys(plans)

/** @throws Error for a plan that is in the database but not in this table. */
export function planOf(name: string): Plan {
  const plan = plans[name]
  if (!plan) throw new Error(`unknown plan "${name}"; known: ${planNames.join(', ')}`)
  return plan
}
