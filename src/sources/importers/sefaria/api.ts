import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { ServiceError } from '../../../errors.ts'
import { urlRef } from '../../library/address.ts'
import { type DownloadOptions, downloadJson } from './download.ts'
import { readAuthors, readSchemaFile, type WorkSchema } from './format/schema.ts'
import { versionHeader } from './format/version.ts'

export const publicApiUrl = 'https://www.sefaria.org'

export type ApiOptions = {
  /** Minimum time between two requests to the API, in milliseconds. */
  readonly intervalMs?: number | undefined
  /** Wait before the first retry of a request, in milliseconds. */
  readonly baseMs?: number | undefined
  readonly timeoutMs?: number | undefined
} & Pick<DownloadOptions, 'retries' | 'maxBytes' | 'redirect' | 'signal'>

const word = z.string().trim().catch('')
const words = z.array(z.string()).catch([])

const sectionShape = z.object({
  ref: z.string(),
  heRef: word,
  sectionRef: word,
  heSectionRef: word,
  sections: z.array(z.union([z.string(), z.number()])).catch([]),
  next: z.string().nullish().catch(null),
  book: word,
  indexTitle: z.string().trim().min(1),
  heIndexTitle: word,
  categories: words,
  textDepth: z.int().min(1).catch(1),
  addressTypes: words,
  index_offsets_by_depth: z.record(z.string(), z.unknown()).nullish().catch(null),
  versions: z
    .array(versionHeader.extend({ languageFamilyName: word, text: z.unknown().optional() }))
    .catch([]),
  available_versions: z.array(versionHeader.extend({ languageFamilyName: word })).catch([]),
})

/** One section of a work, in the requested versions. */
export type ApiSection = z.infer<typeof sectionShape>
export type AvailableVersion = ApiSection['available_versions'][number]

const errorShape = z.object({ error: z.string() })

/** A client of Sefaria's public API. It sends one request at a time, with pauses, under its own user agent. */
export class SefariaApi {
  readonly #baseUrl: string
  readonly #options: ApiOptions
  #nextAt = 0

  constructor(baseUrl: string, options: ApiOptions = {}) {
    this.#baseUrl = baseUrl.replace(/\/+$/, '')
    this.#options = options
  }

  /**
   * Reads a section in the given versions. Without versions it reads one per language.
   * @throws ServiceError `not_found` when the API has no such ref, `upstream_error` when its answer is unusable.
   */
  async section(ref: string, versions: readonly AvailableVersion[]): Promise<ApiSection> {
    const wanted =
      versions.length > 0
        ? versions.map((version) => `${version.languageFamilyName || 'all'}|${version.versionTitle}`)
        : ['hebrew', 'english']
    const query = wanted.map((version) => `version=${encodeURIComponent(version)}`).join('&')
    const answer = await this.#ask(`/api/v3/texts/${urlRef(ref)}?${query}&return_format=default`, ref)
    const parsed = sectionShape.safeParse(answer)
    if (parsed.success) return parsed.data
    const field = parsed.error.issues[0]?.path.join('.')
    throw new ServiceError(
      'upstream_error',
      `The answer about "${ref}" is not understood: see its field "${field}".`,
    )
  }

  /** Titles of the parts of a work, in order; undefined when the API does not know. */
  async parts(title: string): Promise<readonly string[] | undefined> {
    const answer = await this.#ask(`/api/shape/${urlRef(title)}`, title).catch((error: unknown) => {
      if (error instanceof ServiceError && error.code === 'not_found') return undefined
      throw error
    })
    const parsed = z
      .array(z.object({ title: z.string() }))
      .min(1)
      .safeParse(answer)
    return parsed.success ? parsed.data.map((part) => part.title.trim()) : undefined
  }

  /** Author and schema of a work. Empty when the API has no record; the work can be imported without one. */
  async record(title: string): Promise<{ readonly author: string; readonly schema: WorkSchema | undefined }> {
    const answer = await this.#ask(`/api/v2/index/${urlRef(title)}`, title).catch(() => undefined)
    return { author: readAuthors(answer), schema: readSchemaFile(answer) }
  }

  async #ask(path: string, about: string): Promise<unknown> {
    const wait = this.#nextAt - performance.now()
    if (wait > 0) await sleep(wait)
    const { intervalMs = 300, baseMs, timeoutMs, retries, maxBytes, redirect, signal } = this.#options
    try {
      const answer = await downloadJson(this.#baseUrl + path, {
        accept: [400, 404],
        ...(baseMs === undefined ? {} : { baseMs }),
        timeoutMs: timeoutMs ?? 60_000,
        retries,
        maxBytes,
        redirect,
        signal,
      })
      // The API also sends errors with status 200.
      const failed = errorShape.safeParse(answer)
      if (failed.success) {
        const said = failed.data.error.replace(/\s+/g, ' ').slice(0, 200).replace(/\.$/, '')
        throw new ServiceError('not_found', `Sefaria has no answer about "${about}": ${said}.`)
      }
      return answer
    } finally {
      this.#nextAt = performance.now() + intervalMs
    }
  }
}
