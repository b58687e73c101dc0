/** The languages that a sheet sets side by side, as the library names them. */
export type SheetLanguage = 'he' | 'en'

/** One passage: what stands in a row. Empty where the version has no text there. */
export type SheetRow = {
  /** What tells the passage from its neighbours, such as a verse number; empty for a source of one passage. */
  readonly label: Readonly<Record<SheetLanguage, string>>
  readonly texts: Readonly<Record<SheetLanguage, string>>
}

/** A version of a text as the library has it, with all that must be said when it is copied. */
export type SheetVersion = {
  readonly language: SheetLanguage
  readonly work: string
  readonly title: string
  readonly license: string
  /** An address of the web, or empty. */
  readonly url: string
}

export type SheetSource = {
  /** Words of the sheet's author; empty when there are none. */
  readonly heading: string
  readonly note: string
  readonly ref: string
  readonly heRef: string
  readonly rows: readonly SheetRow[]
  /** Of each language that is shown the version, Hebrew first. */
  readonly versions: readonly SheetVersion[]
}

/**
 * A study sheet. Its texts, refs and versions are the library's; title, introduction, headings and notes are the words
 * of its author.
 */
export type Sheet = {
  readonly title: string
  readonly intro: string
  readonly sources: readonly SheetSource[]
}

export const sheetFormats = ['docx', 'pdf', 'html', 'md'] as const

/** Stands in the head of a sheet in HTML: by it one is known from a page that was written by hand. */
export const sheetGenerator = '<meta name="generator" content="source sheet">'

export type SheetFormat = (typeof sheetFormats)[number]

export type Direction = 'rtl' | 'ltr'

/** By the first letter that has a direction, as the Unicode Bidirectional Algorithm has it (UAX 9, P2). */
export function directionOf(text: string): Direction {
  const [letter = ''] = /\p{L}/u.exec(text) ?? []
  return isRightToLeft(letter) ? 'rtl' : 'ltr'
}

function isRightToLeft(letter: string): boolean {
  return /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(letter)
}

/** Text in lines and without what no document may hold: controls, halves of surrogate pairs, noncharacters. */
export function printable(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(/\t/g, ' ')
    .replace(/(?!\n)\p{Cc}|[\ufdd0-\ufdef\ufffe\uffff]/gu, '')
    .trim()
}

/** The paragraphs of a text: its lines that are not empty. */
export function paragraphsOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/** Cantillation marks, which few fonts have. */
export function hasCantillation(text: string): boolean {
  return /[\u0591-\u05af]/.test(text)
}

/** The languages of a source, Hebrew first. */
export function languagesOf(source: SheetSource): readonly SheetLanguage[] {
  return source.versions.map(({ language }) => language)
}

export type UsedVersion = SheetVersion & { readonly sources: readonly number[] }

/** Each version of the sheet once, in order of first use, with the numbers of the sources that show it. */
export function versionsOf(sheet: Sheet): readonly UsedVersion[] {
  const used = new Map<string, UsedVersion>()
  for (const [index, { versions }] of sheet.sources.entries()) {
    for (const version of versions) {
      const key = JSON.stringify(version)
      used.set(key, { ...version, sources: [...(used.get(key)?.sources ?? []), index + 1] })
    }
  }
  return [...used.values()]
}

/** `Tanya 32:1` to `Tanya 32:5` as `Tanya 32:1–5`; refs that share no beginning are both written out. */
export function spanOf(first: string, last: string): string {
  if (first === last) return first
  const cut = commonBeginning(first, last)
  return cut === 0 ? `${first} – ${last}` : `${first}–${last.slice(cut)}`
}

/** Length of what two refs share up to a blank or colon, so that numbers stay whole. */
function commonBeginning(first: string, last: string): number {
  let cut = 0
  for (let i = 0; i < first.length && first[i] === last[i]; i += 1)
    if (/[\s:]/.test(first[i] ?? '')) cut = i + 1
  return cut
}

/** The last number of a ref, in digits or Hebrew letters. */
export function labelOf(ref: string): string {
  return /[\s:]([^\s:]{1,8})$/u.exec(ref)?.[1] ?? ''
}
