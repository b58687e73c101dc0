import { ServiceError } from '../../../../errors.ts'
import { indexTermsOf, textsToIndex } from '../../../index/index-terms.ts'
import { type SentTerms, sendTerms, type TermReceiver } from '../../../index/sent-terms.ts'
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

/** What a thread sends: the files without the terms of their versions, and these terms in the same order. */
export type SentFiles = { readonly parsed: ParsedFiles; readonly terms: readonly SentTerms[] }

/** `parseFiles` in a thread. */
export function parseInThread(job: ParseJob): SentFiles {
  const parsed = parseFiles(job)
  const terms: SentTerms[] = []
  const files = parsed.files.map((file): ParsedFile => {
    if (file.kind !== 'read' || !file.version.version.words) return file
    const { words, ...version } = file.version.version
    terms.push(sendTerms(words))
    return { kind: 'read', version: { ...file.version, version } }
  })
  return { parsed: { ...parsed, files }, terms }
}

/** Puts a result of `parseInThread` together again. */
export function receiveFiles({ parsed, terms }: SentFiles, receiver: TermReceiver): ParsedFiles {
  const received = terms.map((sent) => receiver.receive(sent)).values()
  const files = parsed.files.map((file): ParsedFile => {
    const words = file.kind === 'read' ? received.next().value : undefined
    if (file.kind !== 'read' || !words) return file
    return { kind: 'read', version: { ...file.version, version: { ...file.version.version, words } } }
  })
  return { ...parsed, files }
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
