/** Words that the glossary replaces, each with the right word. */
const replaced: readonly (readonly [RegExp, string])[] = [
  [/\banew\b/i, '"again" or "reset"'],
  [/\blately\b/i, 'the length of time, or "recently"'],
  [/\bnot any ?more\b/i, '"no longer"'],
  [/\bunless told\b/i, '"default:"'],
  [/\bsigns? of life\b/i, '"heartbeat"'],
  [/\bwaiting line\b/i, '"queue"'],
  [/\bguard minutes\b/i, '"retry window"'],
  [/\b(?:has|have) had (?:its|their) time\b/i, '"expires"'],
  [/\ba (?:turn|request|chunk|word|minute|second) a (?:second|minute|turn)\b/i, '"per"'],
]

/** Maximum words per sentence. */
const maxWords = 35

/**
 * Violations of the rules of `docs/glossary.md` in the prose of a Markdown page. Code, tables, headings and
 * URLs are not checked.
 * @returns one sentence per violation, with its line.
 */
export function proseFaults(file: string, markdown: string): readonly string[] {
  return paragraphs(markdown).flatMap(({ line, text }) => {
    const place = `${file}:${line}`
    const long = sentences(text)
      .filter((sentence) => sentence.split(/\s+/).length > maxWords)
      .map(
        (sentence) =>
          `${place}: ${sentence.split(/\s+/).length} words, at most ${maxWords}: "${sentence.slice(0, 60)}…"`,
      )
    return [...replacedWords(place, text), ...long]
  })
}

/** Finds words that the glossary replaces in the texts of a page's source file; comments are not checked. */
export function wordFaults(file: string, source: string): readonly string[] {
  return source
    .split('\n')
    .flatMap((row, at) => (/^\s*(?:\/?\*|\/\/)/.test(row) ? [] : replacedWords(`${file}:${at + 1}`, row)))
}

function replacedWords(place: string, text: string): readonly string[] {
  return replaced.flatMap(([pattern, better]) => {
    const found = pattern.exec(text)?.[0]
    return found === undefined ? [] : [`${place}: "${found}": write ${better}.`]
  })
}

function paragraphs(markdown: string): readonly { readonly line: number; readonly text: string }[] {
  const found: { line: number; text: string }[] = []
  let isCode = false
  let current: { line: number; text: string } | undefined
  for (const [at, raw] of markdown.split('\n').entries()) {
    const row = raw.trim()
    if (/^(?:```|~~~)/.test(row)) isCode = !isCode
    const isProse = !isCode && row !== '' && !/^(?:```|~~~|\||#|<)/.test(row)
    const begins = /^(?:[-*>]|\d+\.)\s/.test(row)
    if (!isProse || begins) current = undefined
    if (!isProse) continue
    if (current) {
      current.text += ` ${row}`
      continue
    }
    current = { line: at + 1, text: row }
    found.push(current)
  }
  return found
}

function sentences(paragraph: string): readonly string[] {
  const plain = paragraph
    .replace(/`[^`]*`/g, 'code')
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/^(?:[-*>]|\d+\.)\s/, '')
  return plain.split(/(?<=[.!?:;])["”)]*\s+/)
}
