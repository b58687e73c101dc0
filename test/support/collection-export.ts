import { type ExportFiles, versionFile } from './fake-sefaria.ts'

const words = ['lamp', 'window', 'dawn', 'river', 'gate', 'song', 'stone', 'garden', 'letter', 'voice']

/** Invented paragraphs, different in each work. */
function paragraphs(seed: number, count: number): readonly (readonly string[])[] {
  const sentence = (i: number) =>
    Array.from({ length: 12 }, (_, j) => words[(seed * 7 + i * 3 + j * j) % words.length]).join(' ')
  return Array.from({ length: count }, (_, i) => [sentence(i), sentence(i + 1)])
}

const version = (title: string, versionTitle: string, license: string, seed: number, size = 5) =>
  versionFile({
    title,
    versionTitle,
    license,
    sectionNames: ['Chapter', 'Paragraph'],
    text: paragraphs(seed, size),
  })

/**
 * An export with some works of the collections under real titles and invented texts. Two have former titles, and
 * others are missing.
 */
export const collectionExport: ExportFiles = {
  ...version('Tanya', 'Open Edition', 'CC0', 1),
  ...version('Tanya', 'Press Edition', 'CC-BY-NC', 2),
  ...version('Tanya', 'Found Somewhere', '', 3),
  ...version('Likutei Moharan', 'Open Edition', 'Public Domain', 4),
  ...version('Likutei Moharan', 'Press Edition', 'CC-BY-NC', 5),
  ...version('Sippurei Maasiyot', 'Open Edition', 'CC-BY', 6),
  ...version('Sefer HaMidot', 'Open Edition', 'CC0', 7),
  ...version('Likutei Etzot', 'Open Edition', 'CC0', 8),
  ...version('Sichot HaRan', 'Open Edition', 'CC0', 9),
  ...version('Book of Nobody', 'Open Edition', 'CC0', 10),
}
