import { readFile } from 'node:fs/promises'
import { ensureStarterLibrary } from '../../../src/sources/importers/starter.ts'
import { importLines } from '../library-lines.ts'
import { type ScriptedUpstream, startScriptedUpstream } from '../scripted-upstream.ts'
import { makeAccount, makeKey } from './accounts.ts'
import type { WorldOptions } from './options.ts'
import type { StoreWorld } from './store.ts'

/** The scripted model that answers the turns, and the account that starts them. */
export type Owner = {
  readonly upstream: ScriptedUpstream
  readonly accountId: string
  /** A key with the default scopes, which reaches every project of the account. */
  readonly key: string
}

export async function addOwner(
  { db }: Pick<StoreWorld, 'db'>,
  options: WorldOptions,
  cleanup: AsyncDisposableStack,
): Promise<Owner> {
  const { script, library } = options
  const upstream = await startScriptedUpstream(options.upstream)
  cleanup.defer(() => upstream.close())
  if (script) upstream.setDefault(script)
  if (library === 'starter') await ensureStarterLibrary(db.database)
  else if (library) await importLines(db.database, library === 'concepts' ? await concepts() : library)
  const { id: accountId } = await makeAccount(db.database, options.plan, options.plans)
  const key = await makeKey(db.database, accountId, { reach: { kind: 'owner' } })
  return { upstream, accountId, key }
}

async function concepts(): Promise<readonly object[]> {
  const text = await readFile('src/sources/starter/concepts.jsonl', 'utf8')
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as object)
}
