import { createHash } from 'node:crypto'
import { sql } from 'drizzle-orm'
import type { Executor } from '../../../db/client.ts'
import { mayImport, type RestrictedLicense } from '../../library/licenses.ts'
import type { Years } from '../../periods/composed.ts'
import { composedYears } from '../../periods/period-filter.ts'

/** The outcome of the last read of a file. It lets the next import skip the file. */
export type FileState = {
  /** Hash of the content, the schema and the importer version. */
  readonly sha: string
  readonly etag?: string | undefined
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
const importerVersion = 2

const prefix = 'sefaria-file:'

export function fingerprint(body: Buffer, schema: string | undefined): string {
  return createHash('sha256')
    .update(`${importerVersion}\n${schema ?? ''}\n`)
    .update(body)
    .digest('hex')
}

type KnownVersion = {
  readonly work: string
  readonly language: string
  readonly version: string
  readonly hash: string
  readonly composed: Years | null
}

/** The recorded outcomes of earlier imports, compared with the versions that the library has now. */
export class ImportState {
  readonly #files: ReadonlyMap<string, FileState>
  readonly #hashes: ReadonlyMap<string, string>
  readonly #dates: ReadonlyMap<string, Years | null>

  private constructor(files: ReadonlyMap<string, FileState>, versions: readonly KnownVersion[]) {
    this.#files = files
    this.#hashes = new Map(versions.map((row) => [keyOf(row.work, row.language, row.version), row.hash]))
    this.#dates = new Map(versions.map(({ work, composed }) => [work, composed]))
  }

  static async load(executor: Executor): Promise<ImportState> {
    const files = await executor.execute<{ key: string; value: string }>(
      sql`select key, value from library_state where starts_with(key, ${prefix})`,
    )
    const versions = await executor.execute<KnownVersion>(sql`
      select w.title as work, v.language, v.title as version, v.content_hash as hash, ${composedYears} as composed
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

  /** Whether a work had another date, or none, when this import began. */
  isDatedOtherwise(work: string, composed: Years): boolean {
    const known = this.#dates.get(work)
    return known?.from !== composed.from || known.to !== composed.to
  }

  /** The content hash that a version had when this import began. */
  hashOf(work: string, language: string, version: string): string | undefined {
    return this.#hashes.get(keyOf(work, language, version))
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
