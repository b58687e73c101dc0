import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type pg from 'pg'
import { Agent } from 'undici'
import { bundledServer } from '../../../build/bundle.ts'
import { openPlans } from '../../../src/accounts/plans.ts'
import { openEmbedded } from '../../../src/db/embedded/server.ts'
import { widePlan } from '../../support/wide-plan.ts'
import { makeAccount, makeKey, pepperText } from '../../support/world/accounts.ts'
import { connectAsSuperuser, withNewDatabase } from '../own-postgres.ts'
import type { Target } from './exchange.ts'
import { startWorker, type Worker } from './worker.ts'

/** The model, the floors and the service, each a process of its own, over one Postgres with durable commits. */
export type World = {
  readonly service: Worker & { readonly target: Target }
  readonly agentFloor: Worker & { readonly target: Target }
  readonly passFloor: Worker & { readonly target: Target }
  readonly model: Worker & { readonly target: Target }
  /** As the superuser, on the service's database. */
  readonly admin: pg.Client
  readonly accountId: string
  readonly database: string
  /** Another process of the service over the same database. */
  startService(): Promise<Worker>
  /** The service as another account's client asks it. */
  withOwner(): Promise<Target>
  close(): Promise<void>
}

const floorSchema = `
  create schema floor;
  create table floor.keys (hash bytea primary key, account text not null, credits bigint not null);
  create table floor.runs (id uuid primary key, account text not null, request jsonb not null, text text, cost bigint,
    started timestamptz not null default now(), ended timestamptz);
  create table floor.steps (run uuid not null, n int not null, record jsonb not null, primary key (run, n));
  create table floor.ledger (run uuid primary key, account text not null, cost bigint not null);
  grant all on schema floor to service; grant all on all tables in schema floor to service;
`

export async function openWorld(): Promise<World> {
  const directory = await mkdtemp(path.join(tmpdir(), 'turn-bench-'))
  const settings = [
    'shared_preload_libraries=pg_stat_statements',
    'pg_stat_statements.track_planning=on',
    'max_connections=100',
  ]
  const postgres = await openEmbedded(directory, settings)
  const plansFile = path.join(directory, 'plans.json')
  await writeFile(plansFile, JSON.stringify({ bench: widePlan }))
  const { accountId, key } = await makeOwner(postgres.url, plansFile)
  const admin = await connectAsSuperuser(postgres)
  await admin.query(`create extension pg_stat_statements; ${floorSchema}`)
  const hash = createHash('sha256').update(key).digest()
  await admin.query('insert into floor.keys values ($1, $2, 1000000)', [hash, accountId])

  const here = (name: string) => path.join(import.meta.dirname, name)
  const dispatcher = new Agent({ connections: null, pipelining: 1 })
  const target = (worker: Worker, name: string, full: boolean) => ({
    ...worker,
    target: { name, url: worker.url, key, dispatcher, full },
  })
  const model = await startWorker(here('model.ts'), { cwd: directory, env: {} })
  const floorEnv = { MODEL_URL: model.url, DATABASE_URL: postgres.url }
  const startService = () =>
    startWorker(bundledServer, {
      cwd: directory,
      env: {
        DATABASE_URL: postgres.url,
        KEY_PEPPER: pepperText,
        PLANS_FILE: plansFile,
        PORT: '0',
        LOG_LEVEL: 'info',
        MODEL_BASE_URL: `${model.url}/v1`,
        MODEL_NAME: 'm',
        METRICS_TOKEN: 'bench',
      },
    })
  const agentFloor = await startWorker(here('floor-agent.ts'), { cwd: directory, env: floorEnv })
  const passFloor = await startWorker(here('floor-pass.ts'), { cwd: directory, env: floorEnv })
  const service = await startService()
  return {
    service: target(service, 'service', true),
    agentFloor: target(agentFloor, 'agent floor', true),
    passFloor: target(passFloor, 'pass-through', false),
    model: target(model, 'model', false),
    admin,
    accountId,
    database: postgres.url,
    startService,
    async withOwner() {
      const { key: other } = await makeOwner(postgres.url, plansFile)
      return { ...target(service, 'service', true).target, key: other }
    },
    async close() {
      await dispatcher.destroy()
      await Promise.all([service, agentFloor, passFloor, model].map((worker) => worker.stop()))
      await admin.end()
      await postgres.release()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

async function makeOwner(url: string, plansFile: string) {
  const plans = await openPlans(plansFile)
  return withNewDatabase(url, async (database) => {
    const { id: accountId } = await makeAccount(database, 'bench', plans)
    return { accountId, key: await makeKey(database, accountId) }
  })
}
