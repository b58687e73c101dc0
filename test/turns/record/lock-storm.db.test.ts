import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { lockAccountRow } from '../../../src/accounts/accounts.ts'
import { commandLine } from '../../../src/accounts/audit.ts'
import type { Principal } from '../../../src/accounts/principal.ts'
import { ensureAllowance, grantCredits } from '../../../src/billing/account-credits.ts'
import { chargeDirectly } from '../../../src/billing/direct-charge.ts'
import { takeCreditsBack } from '../../../src/billing/take-back.ts'
import { type Database, openDatabase, withTx } from '../../../src/db/client.ts'
import { databaseFault } from '../../../src/db/errors.ts'
import { ServiceError } from '../../../src/errors.ts'
import { claimRun, releaseLeases, renewLeases } from '../../../src/turns/drive/leases.ts'
import { LeaseLost } from '../../../src/turns/record/run-log.ts'
import { createTurnStore, recordDisconnect, type TurnStore } from '../../../src/turns/record/turn-store.ts'
import type { Run } from '../../../src/turns/run/run.ts'
import { requestCancel } from '../../../src/turns/run/runs.ts'
import { deleteRun } from '../../../src/turns/sessions/conversations.ts'
import { deleteProject } from '../../../src/turns/sessions/delete-project.ts'
import { defaultProjectId, insertProject } from '../../../src/turns/sessions/projects.ts'
import { deleteSession, type Session } from '../../../src/turns/sessions/sessions.ts'
import { resumeAccount, revokeKeyAndTurns, suspendAccount } from '../../../src/turns/sessions/suspension.ts'
import { isShort } from '../../support/full.ts'
import { type Random, seededRandom } from '../../support/random.ts'
import { type Caller, makeCaller, withKey } from '../../support/turns/caller.ts'
import { endWith, journalOf } from '../../support/turns/journal.ts'
import { admissionOf, decide, plainInput } from '../../support/turns/start.ts'
import { useStore } from '../../support/world/store.ts'

/**
 * Everything that locks rows of one account, at once, over two replicas. A row that refers to the account is inserted under
 * the account's lock: its foreign key would otherwise lock a version of the row that others are about to replace.
 */

let replicas: readonly { readonly database: Database; readonly store: TurnStore }[]

const world = useStore()
const { db } = world
beforeAll(async () => {
  replicas = [0, 1].map(() => {
    const database = openDatabase({ url: db.url, onIdleError: () => undefined, maxConnections: 12 })
    return { database, store: createTurnStore(database) }
  })
})

const lease = { owner: 'replica_gone', seconds: 15 }

/** An account and the runs that it has at the moment. */
class Storm {
  readonly #random: Random
  readonly #person: Caller
  readonly #owner: Principal
  readonly #runs: Run[] = []
  readonly #keys: Principal[]

  constructor(random: Random, person: Caller, keys: readonly Principal[]) {
    this.#keys = [...keys]
    this.#random = random
    this.#person = person
    this.#owner = { ...person.principal, keyId: null, binding: { kind: 'owner', projectId: null } }
  }

  /** One transaction or statement of any kind. */
  act(): Promise<unknown> {
    const random = this.#random
    const { database, store } = random.pick(replicas as never) as (typeof replicas)[number]
    const { principal } = this.#person
    const { accountId } = principal
    const inAccount = <T>(work: Parameters<typeof withTx<T>>[2]) => withTx(database, principal, work)
    const asOperator = <T>(work: Parameters<typeof withTx<T>>[2]) => withTx(database, 'system', work)
    const run = this.#runs[random.whole(0, Math.max(this.#runs.length - 1, 0))]
    const begin = () => this.#start(store, random.chance(0.4) ? run?.sessionId : undefined)
    const ofAccount = [
      ...[begin, begin, begin, begin],
      () => this.#withFreshKey(database, store),
      () => asOperator((tx) => grantCredits(tx, accountId, 5n)),
      () => asOperator((tx) => takeCreditsBack(tx, { actor: commandLine, accountId, micros: 1n })),
      () => asOperator((tx) => ensureAllowance(tx, accountId, principal.plan)),
      () => this.#deleteNewProject(database),
      () => this.#suspend(database),
      () => asOperator((tx) => claimRun(tx, lease, { plans: this.#person.plans })),
      () => asOperator((tx) => releaseLeases(tx, lease)),
    ]
    if (!run) return begin()
    const ids = this.#runs.map(({ id }) => id)
    const end = async () => {
      this.#runs.splice(this.#runs.indexOf(run), 1)
      await endWith(journalOf(database, run))
    }
    const ofRun = [
      ...[end, end, end],
      () => journalOf(database, run).prepareCall(5n),
      () => store.appendToRuns(this.#runs.map((one) => ({ ...one, events: [] }))),
      () => recordDisconnect(store.sendTo(accountId), run.id, 'replica_here'),
      () => inAccount((tx) => requestCancel(tx, run.id)),
      () => asOperator((tx) => renewLeases(tx, lease, ids.toReversed(), 'wait')),
      () => inAccount((tx) => deleteSession(tx, { id: run.sessionId } as Session)),
      () => inAccount((tx) => deleteRun(tx, run)),
    ]
    return random.pick((random.chance(0.5) ? ofAccount : ofRun) as never as [() => Promise<unknown>])()
  }

  async end(): Promise<void> {
    for (const run of this.#runs.splice(0)) await ignoring(endWith(journalOf(db.database, run)))
  }

  async #start(store: TurnStore, sessionId: string | undefined): Promise<void> {
    const text = `question ${this.#random.whole(0, 3)}`
    const input = plainInput({ text, ...(sessionId && { sessionId }), firstCallMicros: 10n })
    const decision = await decide(store, admissionOf(this.#person, { input, clientAt: 'replica_here' }))
    if (decision.kind === 'admitted' && decision.run.status === 'in_progress') this.#runs.push(decision.run)
  }

  /** Chats and embeddings use a key without a default project at once, and somebody revokes it. */
  async #withFreshKey(database: Database, store: TurnStore): Promise<void> {
    const principal = {
      ...(this.#keys.pop() ?? this.#person.principal),
      binding: { kind: 'owner', projectId: null } as const,
    }
    const { accountId, plan } = principal
    const keyId = principal.keyId ?? ''
    const chat = async () => {
      const decision = await decide(
        store,
        admissionOf({ ...this.#person, principal }, { input: plainInput({ firstCallMicros: 10n }) }),
      )
      if (decision.kind === 'admitted') this.#runs.push(decision.run)
    }
    const embeddings = () =>
      withTx(database, principal, async (tx) => {
        await defaultProjectId(tx, principal)
        return chargeDirectly(tx, { accountId, keyId, plan, micros: 1n, facts: { key_id: keyId } })
      })
    await Promise.all([chat(), embeddings(), chat(), embeddings()].map(ignoring))
    await withTx(database, principal, (tx) => revokeKeyAndTurns(tx, keyId, accountId))
  }

  async #deleteNewProject(database: Database): Promise<void> {
    const { accountId } = this.#owner
    const { id } = await withTx(database, 'system', async (tx) => {
      await lockAccountRow(tx, accountId)
      return insertProject(tx, accountId, 'P')
    })
    await deleteProject(database, this.#owner, id)
  }

  async #suspend(database: Database): Promise<void> {
    const acted = { actor: commandLine, accountId: this.#owner.accountId }
    await suspendAccount(database, acted)
    await resumeAccount(database, acted)
  }
}

/** Refusals are in order. */
async function ignoring(work: Promise<unknown>): Promise<void> {
  try {
    await work
  } catch (error) {
    if (error instanceof ServiceError || error instanceof LeaseLost) return
    throw error
  }
}

const rounds = 300

test.skipIf(isShort)(
  `${rounds} rounds of everything that locks rows of an account make no deadlock`,
  async () => {
    const random = seededRandom(41)
    const codes: unknown[] = []
    for (let round = 0; round < 10; round += 1) {
      const bare = await makeCaller(db.database, {
        ...{ concurrentTurns: 12, turnsPerMinute: 100_000, monthlyMicros: 1_000_000n, queuedTurns: 2 },
      })
      const [principal, ...keys] = (await Promise.all(
        Array.from({ length: 20 }, () => withKey(db.database, bare)),
      )) as [Principal, ...Principal[]]
      const storm = new Storm(random.fork(`${round}`), { ...bare, principal }, keys)
      for (let step = 0; step < rounds / 10; step += 1) {
        const acts = Array.from({ length: 10 }, () => ignoring(storm.act()))
        const results = await Promise.allSettled(acts)
        for (const result of results)
          if (result.status === 'rejected') codes.push(databaseFault(result.reason)?.code ?? result.reason)
      }
      await storm.end()
    }
    expect(codes).toEqual([])
    // A connection reports its deadlocks when it ends.
    await Promise.all(replicas.map(({ database }) => database.close()))
    await delay(100)
    const { rows } = await db.database.systemPool.query<{ n: number }>(
      'select deadlocks::int as n from pg_stat_database where datname = current_database()',
    )
    expect(rows).toEqual([{ n: 0 }])
  },
)
