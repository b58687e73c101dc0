import { Readable } from 'node:stream'
import { builtInPlans, type Plan, type Plans } from '../../../src/accounts/plans.ts'
import { importJsonl } from '../../../src/sources/importers/import-jsonl.ts'
import { createTestDatabase } from '../../support/database.ts'
import { checkInvariants } from '../../support/invariants.ts'
import { gate, startScriptedUpstream } from '../../support/scripted-upstream.ts'
import { makeAccount, makeKey } from '../../support/world/accounts.ts'
import { startService, type TestService } from '../../support/world/service.ts'
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
   * Stops everything.
   * @returns the broken invariants of money and runs, and what published schemas refuse in the recorded replies.
   */
  close(): Promise<string[]>
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
  const [db, broken] = [await createTestDatabase(), await createTestDatabase()]
  const upstream = await startScriptedUpstream()
  const gates = new Map<string, ReturnType<typeof gate>>()
  upstream.setDefault((body) => answerTo(body, (question) => gates.get(question)?.opened))
  const options = { plans, model: { baseUrl: upstream.baseUrl, name: 'scripted' } }
  const start = (of = db) => startService(of.database, options)
  const [service, draining, faulty] = [await start(), await start(), await start(broken)]
  await draining.runner.drain()
  await importJsonl(db.database, Readable.from([JSON.stringify(book)]), { allowLicenses: [] })
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
      for (const one of [service, draining, faulty]) await one.stop()
      await upstream.close()
      const violations = await checkInvariants(db.database)
      await db.drop()
      await broken.drop()
      return [...violations, ...(await replies.faults())]
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
