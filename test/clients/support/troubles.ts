import type { Trouble, TroubleName } from './adapter.ts'
import { questions } from './questions.ts'
import type { ClientWorld, OwnPlace } from './world.ts'

export type Situation = {
  readonly status: number
  readonly code: string
  readonly question?: string
  /** A place where the next question meets this trouble. */
  place(world: ClientWorld): Promise<OwnPlace>
}

const nobody = 'sess_0123456789abcdefghijklmn'

/** One situation for each status that can refuse a turn. */
export const situations: Readonly<Record<TroubleName, Situation>> = {
  'bad request': {
    status: 400,
    code: 'invalid_value',
    place: (world) => world.place({ headers: { 'x-service-on-disconnect': 'sometimes' } }),
  },
  'wrong key': {
    status: 401,
    code: 'invalid_api_key',
    async place(world) {
      const place = await world.place()
      const key = place.key.slice(0, -1)
      return { ...place, key, posts: () => world.posts(key) }
    },
  },
  'no credits': {
    status: 402,
    code: 'insufficient_credits',
    place: (world) => world.place({ plan: 'empty' }),
  },
  'missing scope': {
    status: 403,
    code: 'missing_scope',
    place: (world) => world.place({ scopes: ['files:read'] }),
  },
  'unknown session': {
    status: 404,
    code: 'not_found',
    place: (world) => world.place({ headers: { 'x-service-session-id': nobody } }),
  },
  'unknown model': {
    status: 404,
    code: 'model_not_found',
    place: (world) => world.place({ model: 'no-such-model' }),
  },
  'busy session': {
    status: 409,
    code: 'session_busy',
    async place(world) {
      const place = await busy(world)
      const [run] = await place.runs()
      return { ...place, headers: { 'x-service-session-id': run?.session_id ?? '' } }
    },
  },
  'too large': {
    status: 413,
    code: 'request_too_large',
    question: 'a'.repeat(33 * 1024 * 1024),
    place: (world) => world.place(),
  },
  'too many turns': { status: 429, code: 'too_many_concurrent_runs', place: busy },
  'internal error': { status: 500, code: 'internal_error', place: (world) => world.faultyPlace() },
  'model failed': {
    status: 502,
    code: 'upstream_error',
    question: questions.refused,
    place: (world) => world.place(),
  },
  'shutting down': { status: 503, code: 'overloaded', place: (world) => world.drainingPlace() },
}

/** An account with a concurrency limit of one, and one running turn. */
async function busy(world: ClientWorld): Promise<OwnPlace> {
  const place = await world.place({ plan: 'narrow' })
  const response = await fetch(`${place.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${place.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'service',
      messages: [{ role: 'user', content: world.held().question }],
      x_service: { background: true },
    }),
  })
  if (!response.ok) throw new Error(await response.text())
  const before = place.posts()
  return { ...place, posts: () => place.posts() - before }
}

/**
 * The error classes of the official SDKs, and their number of requests: they obey `x-should-retry: false`.
 */
export const officialTroubles: Readonly<Record<TroubleName, Trouble>> = {
  'bad request': { kind: 'BadRequestError', attempts: 1 },
  'wrong key': { kind: 'AuthenticationError', attempts: 1 },
  'no credits': { kind: 'APIError', attempts: 1 },
  'missing scope': { kind: 'PermissionDeniedError', attempts: 1 },
  'unknown session': { kind: 'NotFoundError', attempts: 1 },
  'unknown model': { kind: 'NotFoundError', attempts: 1 },
  'busy session': { kind: 'ConflictError', attempts: 1 },
  'too large': { kind: 'APIError', attempts: 1 },
  'too many turns': { kind: 'RateLimitError', attempts: 3 },
  'internal error': { kind: 'InternalServerError', attempts: 3 },
  'model failed': { kind: 'InternalServerError', attempts: 1 },
  'shutting down': { kind: 'InternalServerError', attempts: 3 },
}

/** These troubles for a client that asks again for longer than a test waits. */
export const repeating = (...names: readonly TroubleName[]): Partial<Record<TroubleName, Trouble>> =>
  Object.fromEntries(names.map((name) => [name, { ...officialTroubles[name], attempts: 'repeats' as const }]))

/** The AI SDK wraps errors that it has retried, and ignores `x-should-retry`. */
export const aiSdkTroubles: Readonly<Record<TroubleName, Trouble>> = Object.fromEntries(
  Object.entries(situations).map(([name, { status }]) => {
    const retried = status === 409 || status === 429 || status >= 500
    return [name, { kind: retried ? 'AI_RetryError' : 'AI_APICallError', attempts: retried ? 3 : 1 }]
  }),
) as Record<TroubleName, Trouble>
