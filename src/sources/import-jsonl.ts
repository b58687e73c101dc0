import { sql } from 'drizzle-orm'
import { z } from 'zod'
import { type Database, type Executor, withTx } from '../db/client.ts'
import { ServiceError } from '../errors.ts'
import { cutText, passagesIn } from './cut.ts'
import { createIndexWriter } from './index-writer.ts'
import { lockLibrary, storeWork, type VersionText, type WorkImport } from './library.ts'
import { mayImport, type RestrictedLicense, refusalOf } from './licenses.ts'
import type { Place } from './places.ts'
import { sectionOf } from './refs.ts'

export type ImportOptions = {
  /** Classes of licences, beside the open ones and one's own, that the operator takes responsibility for. */
  readonly allowLicenses: readonly RestrictedLicense[]
  /** Called with the number of lines read so far, now and then. */
  readonly onProgress?: (done: number) => void
}

export type ImportReport = {
  /** Works that were new or changed. */
  readonly works: number
  readonly versions: number
  /** Versions that are in the library already with the same content. */
  readonly unchanged: number
  /** Texts written, one per place and version. */
  readonly passages: number
  readonly skipped: readonly { readonly why: string; readonly count: number }[]
}

const words = z.string().trim().min(1)
const optional = z.string().trim().default('')

const lineShape = z.object({
  work: words,
  ref: words,
  he_ref: optional,
  he: optional,
  en: optional,
  author: optional,
  category: z.union([z.string(), z.array(z.string())]).default([]),
  he_title: optional,
  version_he: optional,
  version_en: optional,
  license: z.string().trim().min(1).default('own'),
  source_url: optional,
  refs: z.array(words).default([]),
})

type Line = z.infer<typeof lineShape>
type Language = 'he' | 'en'

const languages = [
  { language: 'he', version: 'version_he', untitled: 'Hebrew text' },
  { language: 'en', version: 'version_en', untitled: 'English text' },
] as const

/**
 * Imports a library of one's own, one JSON object a line. Long texts are cut into passages at ends of sentences, with
 * `:1`, `:2`, ... after the ref. All or nothing; the same lines a second time change nothing, and a version that is
 * there with other content is replaced as a whole, so one import must hold all of it.
 * @throws ServiceError `invalid_value` naming the line and the field at fault.
 */
export async function importJsonl(
  database: Database,
  lines: AsyncIterable<string>,
  options: ImportOptions,
): Promise<ImportReport> {
  const read = await readLines(lines, options)
  return withTx(database, 'system', async (tx) => {
    await lockLibrary(tx)
    const report = { works: 0, versions: 0, unchanged: 0, passages: 0, skipped: read.skipped }
    const index = createIndexWriter()
    for (const work of read.works.values()) {
      const incoming = work.finish()
      const stored = await storeWork(tx, incoming)
      index.add(stored.parts)
      if (index.isFull) await index.flush(tx)
      report.works += stored.versions > 0 ? 1 : 0
      report.versions += stored.versions
      report.unchanged += incoming.versions.length - stored.versions
      report.passages += stored.passages
    }
    await index.flush(tx)
    await saveLinks(tx, read.links)
    return report
  })
}

type Read = {
  readonly works: ReadonlyMap<string, WorkBuilder>
  readonly links: ReadonlyMap<string, readonly string[]>
  readonly skipped: ImportReport['skipped']
}

async function readLines(lines: AsyncIterable<string>, options: ImportOptions): Promise<Read> {
  const works = new Map<string, WorkBuilder>()
  const links = new Map<string, readonly string[]>()
  const skipped = new Map<string, number>()
  let number = 0
  for await (const raw of lines) {
    number += 1
    if (number % 1000 === 0) options.onProgress?.(number)
    if (raw.trim() === '') continue
    const line = parseLine(raw, number)
    if (!mayImport(line.license, options.allowLicenses)) {
      const why = refusalOf(line.license)
      skipped.set(why, (skipped.get(why) ?? 0) + 1)
      continue
    }
    const work = works.get(line.work) ?? new WorkBuilder()
    works.set(line.work, work)
    work.add(line, number)
    // Also of a line without any: those that it had before are removed.
    links.set(line.ref, line.refs)
  }
  options.onProgress?.(number)
  return { works, links, skipped: [...skipped].map(([why, count]) => ({ why, count })) }
}

function parseLine(raw: string, number: number): Line {
  let value: unknown
  try {
    value = JSON.parse(number === 1 ? raw.replace(/^\ufeff/, '') : raw)
  } catch {
    throw badLine(number, 'it is not a JSON object')
  }
  const parsed = lineShape.safeParse(value)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    const field = issue?.path.join('.')
    throw badLine(number, field ? `field "${field}": ${issue?.message}` : 'it is not a JSON object')
  }
  const line = parsed.data
  if (line.he === '' && line.en === '')
    throw badLine(number, 'one of the fields "he" and "en" must hold a text')
  for (const [field, text] of Object.entries(line)) {
    if ([text].flat().some((value) => value.includes('\0')))
      throw badLine(number, `field "${field}" holds a NUL character`)
  }
  return line
}

function badLine(number: number, what: string): ServiceError {
  return new ServiceError('invalid_value', `Line ${number} cannot be imported: ${what}. Nothing was changed.`)
}

/** Gathers the lines of one work. */
class WorkBuilder {
  readonly #lines = new Map<string, Line>()
  readonly #places = new Map<string, Place>()
  readonly #versions = new Map<string, VersionText & { readonly texts: Map<string, string> }>()

  add(line: Line, number: number): void {
    if (this.#lines.has(line.ref)) throw badLine(number, `field "ref": "${line.ref}" came before`)
    this.#lines.set(line.ref, line)
    const parts = Math.max(passagesIn(line.he), passagesIn(line.en))
    const cut = languages.map(({ language }) => ({
      language,
      pieces: line[language] === '' ? [] : cutText(line[language], parts),
    }))
    const count = Math.max(...cut.map(({ pieces }) => pieces.length))
    for (let i = 0; i < count; i += 1) {
      const part = count === 1 ? '' : `:${i + 1}`
      const ref = line.ref + part
      if (this.#places.has(ref)) throw badLine(number, `field "ref": "${ref}" came before`)
      const sectionRef = count === 1 ? sectionOf(line.ref) : line.ref
      this.#places.set(ref, { ref, heRef: line.he_ref && line.he_ref + part, sectionRef })
      for (const { language, pieces } of cut) {
        const text = pieces[i]
        if (text !== undefined) this.#version(line, language, number).set(ref, text)
      }
    }
  }

  #version(line: Line, language: Language, number: number): Map<string, string> {
    const names = languages.find((l) => l.language === language) ?? languages[0]
    const title = line[names.version] || names.untitled
    const key = JSON.stringify([language, title])
    const version = this.#versions.get(key) ?? {
      language,
      title,
      license: line.license,
      sourceUrl: line.source_url,
      machineMade: false,
      texts: new Map<string, string>(),
    }
    if (version.license !== line.license) {
      throw badLine(number, `field "license": the version "${title}" had "${version.license}" before`)
    }
    this.#versions.set(key, version)
    return version.texts
  }

  finish(): WorkImport {
    const lines = [...this.#lines.values()]
    const first = <K extends 'author' | 'he_title'>(field: K): string =>
      lines.find((line) => line[field] !== '')?.[field] ?? ''
    const categories = lines.map((line) => [line.category].flat().filter((c) => c.trim() !== ''))
    return {
      work: {
        title: lines[0]?.work ?? '',
        heTitle: first('he_title'),
        author: first('author'),
        categories: categories.find((c) => c.length > 0) ?? [],
      },
      places: [...this.#places.values()],
      versions: [...this.#versions.values()],
    }
  }
}

async function saveLinks(tx: Executor, links: ReadonlyMap<string, readonly string[]>): Promise<void> {
  const from = [...links.keys()]
  await tx.execute(sql`delete from links where from_ref = any(${sql.param(from)}::text[])`)
  const pairs = [...links].flatMap(([ref, targets]) => targets.map((target) => ({ ref, target })))
  await tx.execute(sql`
    insert into links (from_ref, to_ref)
    select * from unnest(${sql.param(pairs.map((p) => p.ref))}::text[], ${sql.param(pairs.map((p) => p.target))}::text[])
    on conflict do nothing`)
}
