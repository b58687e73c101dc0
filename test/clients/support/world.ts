import { builtInPlans, type Plan, type Plans } from '../../../src/accounts/plans.ts'
import { createTestDatabase } from '../../support/database.ts'
import { gate, type UpstreamBody } from '../../support/upstream-scripts.ts'
import { makeAccount, makeKey } from '../../support/world/accounts.ts'
import type { TestService } from '../../support/world/service.ts'
import { openWorld } from '../../support/world/world.ts'
import { answerTo, book, lastQuestion } from './questions.ts'
import { RecordedReplies } from './recorded-replies.ts'

/** The settings of a client. */
export type Place = {
  readonly baseUrl: string
  readonly key: string
  readonly headers: Readonly<Record<string, string>>
  readonly model: string
}

export type Run = {
  readonly id: string
  readonly session_id: string
  readonly status: string
  /** Whether its client disconnected, and no retry has come. */
  readonly left: boolean
  readonly charges: number
}

/** A place with its own account, so that everything there comes from one client. */
export type OwnPlace = Place & {
  readonly accountId: string
  /** Number of POSTs with its key. */
  posts(): number
  /** Its runs in order, each with its number of charges in the ledger. */
  runs(): Promise<readonly Run[]>
}

export type PlaceOptions = {
  readonly plan?: string
  readonly scopes?: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
  readonly model?: string
}

/**
 * The service on a real socket with a real Postgres, and a scripted model that answers from the table of
 * questions.
 */
export type ClientWorld = {
  place(options?: PlaceOptions): Promise<OwnPlace>
  /** Number of POSTs with a key. */
  posts(key: string): number
  /** Places at a replica that shuts down, and at one whose database lacks a table. */
  drainingPlace(): Promise<OwnPlace>
  faultyPlace(): Promise<OwnPlace>
  /** The messages of the model's first call for this question, without instructions. */
  told(question: string): readonly { readonly role: string; readonly content: unknown }[]
  /** A question whose answer starts, and continues after `release`. */
  held(): { readonly question: string; release(): void }
  /**
   * Stops everything. @throws when an invariant of money or runs is broken.
   * @returns what published schemas refuse in the recorded replies.
   */
  close(): Promise<readonly string[]>
}

const own = (plan: Partial<Plan>): Plan => ({ ...builtInPlans.of('unlimited'), ...plan })
const special: Readonly<Record<string, Plan>> = {
  empty: own({ name: 'empty', monthlyMicros: 0n }),
  narrow: own({ name: 'narrow', concurrentTurns: 1, queuedTurns: 0 }),
}
const plans: Plans = {
  names: [...builtInPlans.names, ...Object.keys(special)],
  of: (name) => special[name] ?? builtInPlans.of(name),
}

export async function openClientWorld(): Promise<ClientWorld> {
  const gates = new Map<string, ReturnType<typeof gate>>()
  const script = (body: UpstreamBody) => answerTo(body, (question) => gates.get(question)?.opened)
  const base = await openWorld({ plans, script, library: [book] })
  const broken = await createTestDatabase()
  const { db, upstream, service } = base
  const [draining, faulty] = [await base.start(), await base.start({}, broken.database)]
  await draining.runner.drain()
  const posts = new Map<string, number>()
  const postsOf = (key: string) => posts.get(`Bearer ${key}`) ?? 0
  const replies = new RecordedReplies()
  for (const { app } of [service, draining, faulty]) {
    countPosts(app.server, posts)
    replies.listenTo(app.server)
  }

  const placeAt = async (at: TestService, of: typeof db, options: PlaceOptions): Promise<OwnPlace> => {
    const { id: accountId } = await makeAccount(of.database, options.plan ?? 'unlimited', plans)
    const { scopes } = options
    const key = await makeKey(of.database, accountId, { reach: { kind: 'owner' }, ...(scopes && { scopes }) })
    return {
      baseUrl: `${at.url}/v1`,
      key,
      headers: options.headers ?? {},
      model: options.model ?? 'service',
      accountId,
      posts: () => postsOf(key),
      runs: async () => (await of.database.systemPool.query<Run>(runsOfAccount, [accountId])).rows,
    }
  }
  return {
    place: (options = {}) => placeAt(service, db, options),
    posts: postsOf,
    drainingPlace: () => placeAt(draining, db, {}),
    async faultyPlace() {
      const place = await placeAt(faulty, broken, {})
      await broken.database.systemPool.query('alter table if exists messages rename to lost_messages')
      return place
    },
    told(question) {
      const { body } = upstream.requests.find((request) => lastQuestion(request.body) === question) ?? {}
      return body?.messages.filter(({ role }) => role !== 'system') ?? []
    },
    held() {
      const [question, held] = [`Held: number ${gates.size}`, gate()]
      gates.set(question, held)
      return { question, release: held.open }
    },
    async close() {
      for (const held of gates.values()) held.open()
      await base.close()
      await broken.drop()
      return replies.faults()
    },
  }
}

const runsOfAccount = `
  select id, session_id, status, client_closed_at is not null as left,
    (select count(*)::int from ledger t where t.run_id = runs.id) as charges
  from runs where account_id = $1 order by created_at, turn`

function countPosts(server: TestService['app']['server'], posts: Map<string, number>): void {
  server.on('request', ({ method, headers: { authorization = '' } }) => {
    if (method === 'POST') posts.set(authorization, (posts.get(authorization) ?? 0) + 1)
  })
}
