import { mkdir, readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { ExportSource } from '../../../src/sources/importers/sefaria/export-source.ts'
import { openFolder } from '../../../src/sources/importers/sefaria/folder.ts'
import { readLexicon } from '../../../src/sources/vocabulary/lexicon.ts'
import { bookNames } from '../../../src/sources/vocabulary/titles/works-table.ts'
import { randomFrom } from '../../support/random.ts'
import { type SyntheticOptions, type SyntheticPassage, syntheticPassages } from '../synthetic-corpus.ts'

export const passagesPerWork = 1_000
const passagesPerSection = 12

/** The titles of the first works are those of real books, so that questions can name them. */
export function syntheticTitle(work: number): string {
  return bookNames[work]?.[0] ?? `Synthetic Work ${work + 1}`
}

/** The single words of the lexicon in a random order, each in one form per language. */
export function lexiconWords(seed: number): Record<'he' | 'en', string[]> {
  const random = randomFrom(seed)
  const wordsOf = (language: 'he' | 'en', letters: RegExp): string[] => {
    const written = readLexicon().flatMap((entry) =>
      entry[language].map((form) => form.written.toLowerCase()),
    )
    const single = [...new Set(written.filter((word) => letters.test(word)))]
    const keys = new Map(single.map((word) => [word, random()]))
    return single.sort((a, b) => (keys.get(a) ?? 0) - (keys.get(b) ?? 0))
  }
  return { he: wordsOf('he', /^[א-ת]+$/), en: wordsOf('en', /^[a-z]+$/) }
}

/**
 * The passages of a library: 30 to 130 words. A block of 65,536 passages has some 400,000 different words. The Hebrew
 * Tanya has 13,438 in its 69,088 words and grows as 5.2 n^0.70 (Heaps' law), which would be 270,000.
 */
export function libraryOptions(passages: number): SyntheticOptions {
  return { passages, seed: 7, vocabulary: 60_000, words: lexiconWords(7), lengths: [30, 100] }
}

/** Writes an export in Sefaria's format, unless the folder has a complete one of at least this size. */
export async function writeExport(folder: string, passages: number): Promise<void> {
  const written = await readdir(folder).catch(() => [])
  if (written.some((name) => Number(/^complete-(\d+)$/.exec(name)?.[1] ?? 0) >= passages)) return
  let held: SyntheticPassage[] = []
  for (const passage of syntheticPassages(libraryOptions(passages))) {
    held.push(passage)
    if (held.length < passagesPerWork) continue
    await writeWork(folder, held)
    held = []
  }
  if (held.length > 0) await writeWork(folder, held)
  await writeFile(path.join(folder, `complete-${passages}`), '')
}

/** Each work has a Hebrew and an English version. A passage is in one of them, and empty in the other. */
async function writeWork(folder: string, passages: readonly SyntheticPassage[]): Promise<void> {
  const title = syntheticTitle(Math.floor((passages[0]?.index ?? 0) / passagesPerWork))
  for (const language of ['he', 'en'] as const) {
    const text: string[][] = []
    for (const passage of passages) {
      const within = passage.index % passagesPerWork
      const section = Math.floor(within / passagesPerSection)
      text[section] ??= []
      text[section].push(passage.language === language ? passage.text : '')
    }
    const directory = path.join(folder, 'json', 'Synthetic', title, language === 'he' ? 'Hebrew' : 'English')
    await mkdir(directory, { recursive: true })
    const facts = { language, title, versionTitle: 'Synthetic', license: 'CC0', categories: ['Synthetic'] }
    const file = { ...facts, sectionNames: ['Chapter', 'Paragraph'], text }
    await writeFile(path.join(directory, 'Synthetic.json'), JSON.stringify(file))
  }
}

/** Opens the first works of an export. */
export async function openFirst(folder: string, passages: number): Promise<ExportSource> {
  const source = await openFolder(folder)
  const titles = new Set(
    Array.from({ length: Math.ceil(passages / passagesPerWork) }, (_, work) => syntheticTitle(work)),
  )
  return { ...source, entries: source.entries.filter(({ title }) => titles.has(title)) }
}
