import { openDatabase } from '../../../src/db/client.ts'
import { fixture } from '../fixture.ts'
import { type PrivatePostgres, startPrivatePostgres } from '../private-postgres.ts'
import type { WorldOptions } from './options.ts'
import { addOwner } from './owner.ts'
import { addBrowser, type BrowserWorld } from './people.ts'
import { addProcesses, type ProcessWorld } from './processes.ts'
import { addServices, type PairWorld, type World } from './services.ts'
import { openStore, type StoreWorld } from './store.ts'
import { addTrouble, type TroubleWorld, troubleScript } from './trouble.ts'

export type { BrowserWorld, PairWorld, ProcessWorld, StoreWorld, TroubleWorld, World }

type Options = WorldOptions & {
  /** Services in this process: none, one (the default), or two. */
  readonly replicas?: 0 | 1 | 2
  /** Services are processes of their own, started by the test. */
  readonly processes?: true
  readonly browser?: true
  /** Two replicas over a private Postgres that the test can stop, kill and fill. */
  readonly trouble?: true
  /** The test writes rows of the ledger by hand, so `close()` does not check the invariants. */
  readonly ledger?: 'planted'
  /** Where a private Postgres has its data; default: a new folder. */
  readonly directory?: string
}

/**
 * What a test runs against: a database, a scripted model, and the service on real sockets.
 * `close()` stops all of it and throws when an invariant of money or runs is broken.
 */
export function openWorld(options: { readonly replicas: 0 }): Promise<StoreWorld>
export function openWorld(options: Options & { readonly processes: true }): Promise<ProcessWorld>
export function openWorld(options: Options & { readonly trouble: true }): Promise<TroubleWorld>
export function openWorld(options: Options & { readonly browser: true }): Promise<BrowserWorld>
export function openWorld(options: Options & { readonly replicas: 2 }): Promise<PairWorld>
export function openWorld(options?: Options): Promise<World>
export async function openWorld(options: Options = {}) {
  const cleanup = new AsyncDisposableStack()
  try {
    return { ...(await build(options, cleanup)), close: () => cleanup.disposeAsync() }
  } catch (error) {
    await cleanup.disposeAsync()
    throw error
  }
}

/** The world of a file's tests. */
export function useWorld(options: { readonly replicas: 0 }): StoreWorld
export function useWorld(options: Options & { readonly processes: true }): ProcessWorld
export function useWorld(options: Options & { readonly trouble: true }): TroubleWorld
export function useWorld(options: Options & { readonly browser: true }): BrowserWorld
export function useWorld(options: Options & { readonly replicas: 2 }): PairWorld
export function useWorld(options?: Options): World
export function useWorld(options: Options = {}): StoreWorld {
  return fixture(
    () => openWorld(options),
    (world) => world.close(),
  )
}

async function build(options: Options, cleanup: AsyncDisposableStack) {
  const { replicas = 1, processes, browser, trouble } = options
  const postgres = await privatePostgres(options, cleanup)
  // A process imports the library at its first start on a database.
  const starter = options.library === 'starter' || processes === true
  const store = await openStore({ postgres, starter, checked: options.ledger !== 'planted' }, cleanup)
  if (replicas === 0) return store
  const owner = await addOwner(store, trouble ? { script: troubleScript, ...options } : options, cleanup)
  if (processes) return addProcesses({ ...store, ...owner }, cleanup)
  const world = await addServices({ ...store, ...owner }, options, cleanup)
  if (trouble && postgres) {
    const second = openDatabase({ url: postgres.url, onIdleError: () => undefined })
    cleanup.defer(() => second.close())
    return addTrouble({ ...world, other: await world.start({}, second) }, postgres, cleanup)
  }
  if (browser) return addBrowser(world, cleanup)
  return replicas === 2 ? { ...world, other: await world.start() } : world
}

async function privatePostgres(
  { trouble, postgres, directory }: Options,
  cleanup: AsyncDisposableStack,
): Promise<PrivatePostgres | undefined> {
  if (!trouble && postgres !== 'private') return undefined
  const server = await startPrivatePostgres(directory)
  cleanup.defer(() => server.close())
  return server
}
