import { z } from 'zod'
import { keyStates } from '../../accounts/keys/key-list.ts'
import { addressRanges, maxRanges } from '../../accounts/keys/key-settings.ts'
import type { KeyInfo } from '../../accounts/keys/keys.ts'
import { scopes } from '../../accounts/scopes.ts'
import { creditsText, parseCredits } from '../../billing/credits.ts'
import { wrongField } from '../../errors.ts'
import { unixSeconds } from '../../http/lists.ts'
import { type BodyOf, instant, listOf } from '../../http/openapi/docs.ts'
import { wholeNumber } from '../../http/openapi/whole-number.ts'
import { idText } from '../../http/openapi/zod.ts'

export const amount = z.string().max(40).describe('Credits, as decimal text')

const limitFields = {
  day_cap: amount.nullish().describe('Credits per day (UTC); null: no cap'),
  month_cap: amount.nullish().describe('Credits per calendar month (UTC)'),
  total_cap: amount.nullish().describe('Credits for the life of the key'),
  requests_per_minute: z.int().min(1).nullish(),
  concurrent_turns: z.int().min(1).nullish(),
  allowed_addresses: z
    .array(z.string().max(60))
    .max(maxRanges)
    .nullish()
    .describe('Addresses and ranges (CIDR) from which the key may be used; null: any'),
}

export const managedKey = z
  .object({
    id: z.string(),
    object: z.literal('managed_key'),
    name: z.string(),
    key: z.string().optional().describe('The key itself. Only in the reply that made it'),
    prefix: z.string(),
    last_four: z.string(),
    scopes: z.array(z.string()),
    access: z.enum(['project', 'dedicated', 'owner']),
    project_id: z.string().nullable(),
    state: z.enum(keyStates),
    day_cap: amount.nullable(),
    month_cap: amount.nullable(),
    total_cap: amount.nullable(),
    requests_per_minute: z.int().nullable(),
    concurrent_turns: z.int().nullable(),
    allowed_addresses: z.array(z.string()).nullable(),
    created_at: instant,
    last_used_at: instant.nullable(),
    expires_at: instant.nullable(),
  })
  .meta({ id: 'ManagedKey', description: 'A key of the account.' })

export const keyList = listOf(managedKey).meta({ id: 'ManagedKeyList' })

export const newBody = z.object({
  name: z.string().max(200),
  scopes: z
    .array(z.enum(scopes))
    .min(1)
    .max(scopes.length)
    .nullish()
    .describe('Default: those of a new key on the pages'),
  access: z
    .enum(['project', 'dedicated', 'owner'])
    .nullish()
    .describe('Default: dedicated. One project (`project_id`), a project of its own, or all projects'),
  project_id: z.string().max(100).nullish(),
  expires_at: z.int().min(0).nullish().describe('Unix time in seconds'),
  ...limitFields,
})

export const changeBody = z.object({ name: z.string().max(200).nullish(), ...limitFields })

export const rotateBody = z.preprocess(
  (sent) => sent ?? {},
  z.object({
    grace_hours: z.int().min(0).max(720).nullish().describe('How long the old key still works. Default: 0'),
  }),
)

export const listQuery = z.object({
  limit: wholeNumber(1, 100).default(20),
  after: idText.optional(),
  state: z.enum(keyStates).optional(),
})

type Limits = {
  readonly [Name in keyof typeof limitFields]?: z.output<(typeof limitFields)[Name]>
}

/** Limits that are named; null removes one. */
export function limitsOf(body: Limits) {
  return {
    ...(body.day_cap !== undefined && { dayCapMicros: capOf('day_cap', body.day_cap) }),
    ...(body.month_cap !== undefined && { monthCapMicros: capOf('month_cap', body.month_cap) }),
    ...(body.total_cap !== undefined && { totalCapMicros: capOf('total_cap', body.total_cap) }),
    ...(body.requests_per_minute !== undefined && { requestsPerMinute: body.requests_per_minute }),
    ...(body.concurrent_turns !== undefined && { concurrentTurns: body.concurrent_turns }),
    ...(body.allowed_addresses !== undefined && {
      allowedAddresses: body.allowed_addresses && addressRanges(body.allowed_addresses),
    }),
  }
}

export function capOf(param: string, text: string | null): bigint | null {
  if (text === null) return null
  const micros = parseCredits(text)
  if (micros === undefined || micros <= 0n) throw wrongField(param, 'must be credits above 0, such as "12.5"')
  return micros
}

export function keyStateOf({ revokedAt, expiresAt }: KeyInfo): (typeof keyStates)[number] {
  if (revokedAt) return 'revoked'
  return expiresAt && expiresAt.getTime() <= Date.now() ? 'expired' : 'active'
}

/** A key as the API shows it. @param text the key itself, only in the reply that made it. */
export function keyBody(key: KeyInfo, text?: string): BodyOf<typeof managedKey> {
  const credits = (micros: bigint | null) => (micros === null ? null : creditsText(micros))
  return {
    id: key.id,
    object: 'managed_key',
    name: key.name,
    ...(text !== undefined && { key: text }),
    prefix: key.prefix,
    last_four: key.lastFour,
    scopes: key.scopes,
    access: key.binding,
    project_id: key.projectId,
    state: keyStateOf(key),
    day_cap: credits(key.dayCapMicros),
    month_cap: credits(key.monthCapMicros),
    total_cap: credits(key.totalCapMicros),
    requests_per_minute: key.requestsPerMinute,
    concurrent_turns: key.concurrentTurns,
    allowed_addresses: key.allowedAddresses,
    created_at: unixSeconds(key.createdAt),
    last_used_at: key.lastUsedAt && unixSeconds(key.lastUsedAt),
    expires_at: key.expiresAt && unixSeconds(key.expiresAt),
  }
}
