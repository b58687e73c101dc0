import { z } from 'zod'
import { ServiceError } from '../errors.ts'
import { readSettingsFile } from '../settings-files/read-settings-file.ts'

/** The limits of a plan. */
export type Plan = ReturnType<typeof planOf>

/** Pages per minute of an address without signing in. */
export const visitorPagesPerMinute = 600

/** Pages per minute of an account: at least those of a visitor, so that signing in never takes pages away. */
export function pagesPerMinute({ requestsPerMinute }: Plan): number {
  return Math.max(requestsPerMinute, visitorPagesPerMinute)
}

export type Plans = {
  readonly names: readonly string[]
  /** @throws Error if the table does not contain this plan. */
  of(name: string): Plan
}

const megabyte = 1024 * 1024
const count = z.number().int().min(0)

const row = z.strictObject({
  api_access: z.boolean(),
  monthly_credits: z.number().int().min(0),
  requests_per_minute: count,
  turns_per_minute: count,
  concurrent_turns: count,
  queued_turns: count,
  stored_megabytes: count,
  file_megabytes: count,
})

/** The built-in plans. `PLANS_FILE` may replace or add rows of the same shape. */
const table = {
  free: {
    api_access: false,
    monthly_credits: 50,
    requests_per_minute: 60,
    turns_per_minute: 5,
    concurrent_turns: 1,
    queued_turns: 1,
    stored_megabytes: 50,
    file_megabytes: 10,
  },
  basic: {
    api_access: true,
    monthly_credits: 1_000,
    requests_per_minute: 600,
    turns_per_minute: 30,
    concurrent_turns: 4,
    queued_turns: 4,
    stored_megabytes: 1_024,
    file_megabytes: 64,
  },
  pro: {
    api_access: true,
    monthly_credits: 10_000,
    requests_per_minute: 3_000,
    turns_per_minute: 300,
    concurrent_turns: 32,
    queued_turns: 4,
    stored_megabytes: 10_240,
    file_megabytes: 512,
  },
  unlimited: {
    api_access: true,
    monthly_credits: 1_000_000,
    requests_per_minute: 600_000,
    turns_per_minute: 60_000,
    concurrent_turns: 1_000,
    queued_turns: 4,
    stored_megabytes: 1_048_576,
    file_megabytes: 2_048,
  },
} satisfies Readonly<Record<string, z.infer<typeof row>>>

const builtIn: Readonly<Record<string, z.infer<typeof row>>> = table

const file = z.record(z.string().regex(/^[a-z0-9_-]{1,40}$/), row.partial())

/**
 * Loads the plans: the built-in ones, replaced or extended by the file's rows. Fields that a row leaves out are those of
 * the built-in plan of its name, otherwise of `basic`: a file from before a new limit stays valid.
 * @throws ConfigError that names the mistake in the file.
 */
export async function openPlans(path?: string): Promise<Plans> {
  const rows = Object.entries(path === undefined ? {} : await readSettingsFile('PLANS_FILE', path, file))
  const completed = rows.map(([name, own]) => [name, { ...(builtIn[name] ?? table.basic), ...own }] as const)
  return plansOf({ ...table, ...Object.fromEntries(completed) })
}

/** Plans that can be replaced while they are in use. A `Plan` that was read before stays as it is. */
export type LivePlans = Plans & { replace(next: Plans): void }

/** Shows the newest of several tables. */
export function livePlans(first: Plans): LivePlans {
  let current = first
  return {
    get names() {
      return current.names
    },
    of: (name) => current.of(name),
    replace(next) {
      current = next
    },
  }
}

/** The built-in plans. */
export const builtInPlans: Plans = plansOf(table)

function plansOf(rows: Readonly<Record<string, z.infer<typeof row>>>): Plans {
  const plans = new Map(Object.entries(rows).map(([name, values]) => [name, planOf(name, values)]))
  return {
    names: [...plans.keys()],
    of(name) {
      const plan = plans.get(name)
      if (!plan) throw new Error(`unknown plan "${name}"; known: ${[...plans.keys()].join(', ')}`)
      return plan
    },
  }
}

function planOf(name: string, values: z.infer<typeof row>) {
  return Object.freeze({
    name,
    /** Whether API keys of the account may call the API. */
    apiAccess: values.api_access,
    /** Allowance of a calendar month (UTC), in micro-credits. */
    monthlyMicros: BigInt(values.monthly_credits) * 1_000_000n,
    requestsPerMinute: values.requests_per_minute,
    turnsPerMinute: values.turns_per_minute,
    /** Maximum turns in progress at the same time, over the whole account. */
    concurrentTurns: values.concurrent_turns,
    /** Maximum queued turns per session, behind the running one. */
    queuedTurns: values.queued_turns,
    /** Maximum stored bytes over all projects, and maximum bytes per file. */
    storedBytes: values.stored_megabytes * megabyte,
    fileBytes: values.file_megabytes * megabyte,
  })
}

/** The error for a key of an account whose plan does not include the API. */
export function noApiAccess(plan: string): ServiceError {
  return new ServiceError(
    'plan_without_api_access',
    `The plan "${plan}" of this account does not include the API. Change to a plan that does.`,
  )
}
