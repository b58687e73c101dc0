/**
 * `npx node test/bench/webhooks.ts [--deliveries N]`: N deliveries (default: 10,000) to four receivers by two replicas, one of
 * which is stopped half way. One receiver answers, one fails twice per event, one is slow, and one is down for an hour. The
 * clock is scripted: once nothing is due, the next attempts become due. Exits with 1 if an event is lost or comes out of order,
 * or if a receiver waits for another one.
 */
import { createServer, type Server } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { sql } from 'drizzle-orm'
import { pino } from 'pino'
import { openDatabase } from '../../src/db/client.ts'
import { deliverWebhooks } from '../../src/webhooks/deliver.ts'
import { createEndpoint } from '../../src/webhooks/endpoints.ts'
import { close, listen } from '../support/loopback.ts'
import { testPeppers } from '../support/world/accounts.ts'
import { print } from './report.ts'
import { openWorld } from './turns/world.ts'

const { values } = parseArgs({ options: { deliveries: { type: 'string', default: '10000' } } })
const kinds = ['good', 'failing', 'slow', 'down'] as const
type Kind = (typeof kinds)[number]
const eventsPerRun = 2
const runs = Math.round(Number(values.deliveries) / kinds.length / eventsPerRun)
const events = runs * eventsPerRun
const slowMs = 200
const downSeconds = 3_600

type Attempt = { readonly run: string; readonly n: number; readonly isTaken: boolean }
type Receiver = {
  readonly port: number
  readonly attempts: Attempt[]
  readonly server: Server
  /** When the last event came that it had not taken before. */
  lastNewAt: number
}

/** A server that takes an event as its kind does. The one that is down lets go of its port until it is started. */
async function startReceiver(kind: Kind): Promise<Receiver> {
  const attempts: Attempt[] = []
  const tries = new Map<string, number>()
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { run, n } = JSON.parse(body).data as { run: string; n: number }
    const count = (tries.get(`${run} ${n}`) ?? 0) + 1
    tries.set(`${run} ${n}`, count)
    if (kind === 'slow') await delay(slowMs)
    const isTaken = kind !== 'failing' || count > 2
    if (isTaken && !attempts.some((one) => one.isTaken && one.run === run && one.n === n))
      receiver.lastNewAt = performance.now()
    attempts.push({ run, n, isTaken })
    response.writeHead(isTaken ? 204 : 500).end()
  })
  const port = await listen(server)
  const receiver: Receiver = { port, attempts, server, lastNewAt: 0 }
  if (kind === 'down') await close(server)
  return receiver
}

/** Events that were not taken, were taken before an earlier one of their run, and were taken more than once. */
function judge({ attempts }: Receiver) {
  const next = new Map<string, number>()
  let [late, twice] = [0, 0]
  for (const { run, n, isTaken } of attempts) {
    const expected = next.get(run) ?? 0
    if (n > expected) late += 1
    else if (isTaken && n < expected) twice += 1
    else if (isTaken) next.set(run, expected + 1)
  }
  const taken = [...next.values()].reduce((a, b) => a + b, 0)
  return { lost: events - taken, outOfOrder: late, twice, attempts: attempts.length }
}

const world = await openWorld()
await world.service.stop()
const database = openDatabase({ url: world.database, onIdleError: () => undefined })
const log = pino({ level: 'silent' })
const deliver = () =>
  deliverWebhooks(database, { peppers: testPeppers, allowPrivate: true, userAgent: 'Bench/1', log })

/** What is pending, and in how many seconds the first of it may be sent. */
async function look() {
  const { rows } = await database.system.execute<Record<'pending' | 'wait' | 'done' | 'tries', number>>(sql`
    select count(*) filter (where due_at is not null)::int as pending, count(delivered_at)::int as done,
      coalesce(sum(attempts), 0)::int as tries,
      coalesce(extract(epoch from min(due_at) filter (where not exists (select from webhook_deliveries b
        where b.endpoint_id = d.endpoint_id and b.subject = d.subject and b.id < d.id and b.due_at is not null)) - now()), 0)::float8 as wait
    from webhook_deliveries d`)
  return rows[0] ?? { pending: 0, wait: 0, done: 0, tries: 0 }
}

async function moveClock(seconds: number, passed: number, down: Receiver | undefined): Promise<void> {
  await database.system.execute(
    sql`update webhook_deliveries set due_at = due_at - make_interval(secs => ${seconds}) where due_at is not null`,
  )
  if (passed > downSeconds && down?.server.listening === false) down.server.listen(down.port, '127.0.0.1')
}

/** Waits until all is delivered. Moves the clock when nothing has changed for a second. @returns the seconds it moved. */
async function untilDelivered(present: readonly Kind[], receivers: ReadonlyMap<Kind, Receiver>) {
  const workers = [deliver(), deliver()]
  let [passed, still, last] = [0, 0, '']
  let goodBefore: number | undefined
  for (;;) {
    const { pending, wait, done, tries } = await look()
    if (pending === 0) break
    const state = `${done} ${tries}`
    still = last === state ? still + 1 : 0
    last = state
    if (workers.length > 1 && done > (events * present.length) / 2) await workers.pop()?.stop()
    // A request that is under way has its next attempt 15 s later, and is no reason to move the clock.
    if (wait > 1 && still > 4) {
      goodBefore ??= receivers.get('good')?.attempts.length
      passed += wait
      await moveClock(wait, passed, receivers.get('down'))
    }
    await delay(200)
  }
  for (const worker of workers) await worker.stop()
  return { passed, goodBefore: goodBefore ?? events }
}

async function round(present: readonly Kind[]) {
  await database.system.execute(sql`delete from webhook_endpoints`)
  const receivers = new Map<Kind, Receiver>()
  for (const kind of present) {
    const receiver = await startReceiver(kind)
    receivers.set(kind, receiver)
    const url = `http://127.0.0.1:${receiver.port}/`
    const input = { url, events: ['run.completed'] as const, projectId: null }
    await createEndpoint(database.system, testPeppers, { accountId: world.accountId }, input, true)
  }
  for (let n = 0; n < eventsPerRun; n += 1)
    await database.system.execute(sql`
      select send_webhook(${world.accountId}, null, 'run.completed', 'run_' || i, jsonb_build_object('run', 'run_' || i, 'n', ${n}::int))
      from generate_series(1, ${runs}) i order by i`)
  const began = performance.now()
  const delivered = await untilDelivered(present, receivers)
  const seconds = (performance.now() - began) / 1_000
  for (const { server } of receivers.values()) await close(server)
  const goodSeconds = ((receivers.get('good')?.lastNewAt ?? began) - began) / 1_000
  return { receivers, seconds, goodSeconds, ...delivered }
}

try {
  const alone = await round(['good'])
  print(`the good receiver alone: ${events} events in ${alone.goodSeconds.toFixed(1)} s`)
  const all = await round(kinds)
  print(
    `all four: ${events * kinds.length} deliveries in ${all.seconds.toFixed(0)} s, over ${(all.passed / 3_600).toFixed(1)} h of the scripted clock; the good one has its events after ${all.goodSeconds.toFixed(1)} s`,
  )
  // None of the good receiver's events waited for the clock.
  let isGood = all.goodBefore >= events
  for (const [kind, receiver] of all.receivers) {
    const found = judge(receiver)
    print(`  ${kind.padEnd(8)} ${JSON.stringify(found)}`)
    isGood &&= found.lost === 0 && found.outOfOrder === 0
  }
  process.exitCode = isGood ? 0 : 1
} finally {
  await database.close()
  await world.close()
}
