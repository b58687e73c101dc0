import { ServiceError } from '../../../../errors.ts'
import { indexTermsOf, textsToIndex } from '../../../index/index-terms.ts'
import type { RestrictedLicense } from '../../../library/licenses.ts'
import { readSchemaFile, type WorkSchema } from './schema.ts'
import { mergePassageRefs, type ReadVersion } from './version.ts'
import { type FileOutcome, readVersionFile } from './version-file.ts'

export type ParseJob = {
  /** Content of the schema file of the work. */
  readonly schema: string | undefined
  /** Contents of the version files. */
  readonly files: readonly Uint8Array[]
  readonly allowLicenses: readonly RestrictedLicense[]
}

export type ParsedFile = FileOutcome | { readonly kind: 'failed'; readonly why: string }

/** One result per file, in the order of the files. */
export type ParsedFiles = {
  readonly schema: WorkSchema | undefined
  readonly files: readonly ParsedFile[]
}

/**
 * Parses the files of one work and tokenises their texts: all computation of an import. It runs in a thread of its
 * own (`parser`), so it must not use the database.
 */
export function parseFiles({ schema, files, allowLicenses }: ParseJob): ParsedFiles {
  const read = readSchemaFile(parsed(schema))
  const outcomes = files.map((body): ParsedFile => {
    try {
      return readVersionFile(Buffer.from(body).toString('utf8'), read, allowLicenses)
    } catch (error) {
      if (error instanceof ServiceError) return { kind: 'failed', why: error.message }
      throw error
    }
  })
  const versions = outcomes.flatMap((outcome) => (outcome.kind === 'read' ? [outcome.version] : []))
  const withWords = wordsByVersion(versions)
  return {
    schema: read,
    files: outcomes.map((outcome) =>
      outcome.kind === 'read' ? { kind: 'read', version: withWords(outcome.version) } : outcome,
    ),
  }
}

/**
 * Tokenises the texts of each version under the headings of their places. The headings come from all versions of the
 * work.
 */
function wordsByVersion(versions: readonly ReadVersion[]): (version: ReadVersion) => ReadVersion {
  const placesOf = new Map(
    [...Map.groupBy(versions, (version) => version.work.title)].map(([title, ofWork]) => [
      title,
      new Map(mergePassageRefs(ofWork).map((place) => [place.ref, place])),
    ]),
  )
  return (read) => {
    const places = placesOf.get(read.work.title) ?? new Map()
    const words = indexTermsOf(textsToIndex(read.version.texts, places))
    return { ...read, version: { ...read.version, words } }
  }
}

function parsed(json: string | undefined): unknown {
  try {
    return JSON.parse(json ?? 'null')
  } catch {
    return undefined
  }
}
