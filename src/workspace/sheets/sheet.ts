/** The languages that a sheet shows side by side, with the library's codes. */
export type SheetLanguage = 'he' | 'en'

/** One passage: a row of the table. A text is empty if the version has none there. */
export type SheetRow = {
  /**
   * Distinguishes the passage from its neighbours, for example by a verse number. Empty for a source with one
   * passage.
   */
  readonly label: Readonly<Record<SheetLanguage, string>>
  readonly texts: Readonly<Record<SheetLanguage, string>>
}

/** A version of a text, with everything that a copy must state. */
export type SheetVersion = {
  readonly language: SheetLanguage
  readonly work: string
  /** Hebrew title of the work; empty if the library has none. */
  readonly heWork: string
  readonly title: string
  readonly license: string
  /** A web address, or empty. */
  readonly url: string
}

export type SheetSource = {
  /** The author's heading; empty when there is none. */
  readonly heading: string
  readonly note: string
  readonly ref: string
  readonly heRef: string
  readonly rows: readonly SheetRow[]
  /** One version per shown language, Hebrew first. */
  readonly versions: readonly SheetVersion[]
}

/** A question with its answer, which is Markdown. */
export type Exchange = {
  readonly question: string
  readonly answer: string
  readonly checks?: ExchangeChecks
}

/** The service's checks of an answer, a line a quotation, and the names of checks and answer. */
export type ExchangeChecks = {
  readonly label: string
  readonly lines: readonly string[]
  readonly answerLabel: string
}

/**
 * A study sheet. Texts, refs and versions come from the library; title, introduction, headings and notes come from
 * its author.
 */
export type Sheet = {
  /** Language of the labels, refs and titles of works. Default: that of the title. */
  readonly language?: SheetLanguage
  readonly title: string
  readonly intro: string
  /** A conversation before the sources, in Word and PDF. */
  readonly exchanges?: readonly Exchange[]
  readonly sources: readonly SheetSource[]
}

export const sheetFormats = ['docx', 'pdf', 'html', 'md'] as const

/** Stands in the head of an HTML sheet and identifies it as generated. */
export const sheetGenerator = '<meta name="generator" content="source sheet">'

export type SheetFormat = (typeof sheetFormats)[number]

export type Direction = 'rtl' | 'ltr'

/** Direction by the first letter with a direction, as in the Unicode Bidirectional Algorithm (UAX 9, P2). */
export function directionOf(text: string): Direction {
  const [letter = ''] = /\p{L}/u.exec(text) ?? []
  return isRightToLeft(letter) ? 'rtl' : 'ltr'
}

function isRightToLeft(letter: string): boolean {
  return /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(letter)
}

/**
 * Keeps line breaks and removes what documents must not contain: control characters, lone surrogates, noncharacters.
 */
export function printable(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(/\t/g, ' ')
    .replace(/(?!\n)\p{Cc}|[\ufdd0-\ufdef\ufffe\uffff]/gu, '')
    .trim()
}

/** The paragraphs of a text: its non-empty lines. */
export function paragraphsOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/** Whether a text has cantillation marks, which few fonts contain. */
export function hasCantillation(text: string): boolean {
  return /[\u0591-\u05af]/.test(text)
}

/** The languages of a source, Hebrew first. */
export function languagesOf(source: SheetSource): readonly SheetLanguage[] {
  return source.versions.map(({ language }) => language)
}

export type UsedVersion = SheetVersion & { readonly sources: readonly number[] }

/** The versions of a sheet without duplicates, in order of first use, each with the numbers of its sources. */
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

/** The last number of a ref, in digits or Hebrew letters. */
export function labelOf(ref: string): string {
  return /[\s:]([^\s:]{1,8})$/u.exec(ref)?.[1] ?? ''
}
