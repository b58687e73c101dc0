import type { Database } from '../../../src/db/client.ts'
import type { TestDatabase } from '../database.ts'
import type { startScriptedUpstream } from '../scripted-upstream.ts'
import type { ScriptSource } from '../upstream-scripts.ts'
import type { ServiceOptions } from './service.ts'

export type WorldOptions = Omit<ServiceOptions, 'model' | 'port'> & {
  /** Where it differs from the scripted upstream; `built-in` is a service without a language model. */
  readonly model?: ServiceOptions['model'] | 'built-in'
  /** What the model answers when no other script is enqueued. */
  readonly script?: ScriptSource
  readonly upstream?: Parameters<typeof startScriptedUpstream>[0]
  /** The plan of the account; default: `pro`. */
  readonly plan?: string
  /** What the library has: the starter library, its concepts alone, or lines of an import; default: nothing. */
  readonly library?: 'starter' | 'concepts' | readonly object[]
  /** How the services connect to the database; default: by the pools of `db`, and the test closes what it opens. */
  readonly connect?: (db: TestDatabase) => Database | Promise<Database>
  /** `private` starts a Postgres for this world, as a program outside of the tests needs; default: `shared`. */
  readonly postgres?: 'shared' | 'private'
}

/** A replica that a test starts itself; default: the options of its world. */
export type ReplicaOptions = Pick<WorldOptions, 'model'> & Omit<ServiceOptions, 'model'>
