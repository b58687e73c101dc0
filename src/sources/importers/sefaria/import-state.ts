import { createHash } from 'node:crypto'
import { sql } from 'drizzle-orm'
import type { Executor } from '../../../db/client.ts'
import { mayImport, type RestrictedLicense } from '../../library/licenses.ts'

/** What an import has read: hashes of the file and of its schema, each with the importer's version. */
export type Seen = {
  readonly sha: string
  /** Missing in what earlier versions of the service recorded. */
  readonly schemaSha?: string
  readonly etag: string | undefined
}

/** The outcome of the last read of a file. It lets the next import skip the file. */
export type FileState = Seen & {
  readonly result:
    | {
        readonly kind: 'stored'
        readonly work: string
        readonly language: string
        readonly version: string
        readonly hash: string
      }
    | { readonly kind: 'refused'; readonly license: string }
    | { readonly kind: 'empty' }
}

/** Increase it whenever the same file would give other texts, refs or properties. */
const importerVersion = 3

const prefix = 'sefaria-file:'

export function fingerprint(content: Buffer | string): string {
  return createHash('sha256').update(`${importerVersion}\n`).update(content).digest('hex')
}

type KnownVersion = {
  readonly work: string
  readonly language: string
  readonly version: string
  readonly hash: string
}

/** The recorded outcomes of earlier imports, compared with the versions that the library has now. */
export class ImportState {
  readonly #files: ReadonlyMap<string, FileState>
  readonly #hashes: ReadonlyMap<string, string>

  private constructor(files: ReadonlyMap<string, FileState>, versions: readonly KnownVersion[]) {
    this.#files = files
    this.#hashes = new Map(versions.map((row) => [keyOf(row.work, row.language, row.version), row.hash]))
  }

  static async load(executor: Executor): Promise<ImportState> {
    const files = await executor.execute<{ key: string; value: string }>(
      sql`select key, value from library_state where starts_with(key, ${prefix})`,
    )
    const versions = await executor.execute<KnownVersion>(sql`
      select w.title as work, v.language, v.title as version, v.content_hash as hash
      from versions v join works w on w.id = v.work_id`)
    return new ImportState(
      new Map(files.rows.map(({ key, value }) => [key.slice(prefix.length), JSON.parse(value) as FileState])),
      versions.rows,
    )
  }

  /**
   * Returns the recorded state of a file. Undefined if the allowed licences or the stored version have changed since
   * then.
   */
  current(id: string, allowed: readonly RestrictedLicense[]): FileState | undefined {
    const state = this.#files.get(id)
    if (state?.result.kind === 'refused' && mayImport(state.result.license, allowed)) return undefined
    if (state?.result.kind === 'stored') {
      const { work, language, version, hash } = state.result
      if (this.#hashes.get(keyOf(work, language, version)) !== hash) return undefined
    }
    return state
  }
}

function keyOf(work: string, language: string, version: string): string {
  return JSON.stringify([work, language, version])
}

/** Saves the states of files in the transaction that stored their versions. */
export async function saveStates(tx: Executor, states: ReadonlyMap<string, FileState>): Promise<void> {
  await tx.execute(sql`
    insert into library_state (key, value)
    select * from unnest(${sql.param([...states.keys()].map((id) => prefix + id))}::text[],
      ${sql.param([...states.values()].map((state) => JSON.stringify(state)))}::text[])
    on conflict (key) do update set value = excluded.value`)
}
