/** Footnotes of a Markdown text by their labels, and the text without their definitions. */
export type SplitNotes = { readonly body: string; readonly notes: ReadonlyMap<string, string> }

/** Matches the first line of a footnote: `[^1]: Some manuscripts read “five”.` */
const definition = /^ {0,3}\[\^([^\]\s]{1,60})\]:[ \t]*(.*)$/
const marker = /\[\^([^\]\s]{1,60})\]/g
const fence = /^ {0,3}(`{3,}|~{3,})/

/**
 * Takes the footnotes out of a text. A footnote goes on in the next lines until an empty one, and in indented paragraphs.
 * One that no word refers to stays where it is, because it would be lost otherwise.
 */
export function splitNotes(text: string): SplitNotes {
  if (!text.includes('[^')) return { body: text, notes: new Map() }
  const used = labelsIn(text)
  const notes = new Map<string, string>()
  const body: string[] = []
  for (const { label, lines } of stretchesOf(text.split('\n'))) {
    const isNote = label !== undefined && used.has(label) && !notes.has(label)
    if (isNote) notes.set(label, lines.map((line) => line.replace(definition, '$2').trim()).join('\n'))
    else body.push(...lines)
  }
  return { body: body.join('\n'), notes }
}

/** Consecutive lines: those of one footnote, or others. */
type Stretch = { readonly label: string | undefined; readonly lines: string[] }

function stretchesOf(lines: readonly string[]): readonly Stretch[] {
  const stretches: Stretch[] = [{ label: undefined, lines: [] }]
  let isFenced = false
  for (const [i, line] of lines.entries()) {
    if (fence.test(line)) isFenced = !isFenced
    const label = isFenced ? undefined : definition.exec(line)?.[1]
    const mayEnd = (lines[i - 1] ?? '').trim() === '' || /^#{1,6}\s/.test(line)
    if (label !== undefined) stretches.push({ label, lines: [] })
    else if (mayEnd && /^\S| \S/.test(line.slice(0, 2))) stretches.push({ label: undefined, lines: [] })
    stretches.at(-1)?.lines.push(line)
  }
  return stretches
}

/** The labels that stand in the text outside definitions. */
function labelsIn(text: string): ReadonlySet<string> {
  const lines = text.split('\n').map((line) => definition.exec(line)?.[2] ?? line)
  return new Set([...lines.join('\n').matchAll(marker)].map(([, label = '']) => label))
}

/** A paragraph without the markers of its footnotes, and the footnotes in their order. */
export function takeNotes(
  text: string,
  notes: ReadonlyMap<string, string>,
): { readonly text: string; readonly notes: readonly string[] } {
  const taken: string[] = []
  const bare = text.replace(/[ \t]*\[\^([^\]\s]{1,60})\]/g, (whole, label: string) => {
    const note = notes.get(label)
    if (note === undefined) return whole
    taken.push(note)
    return ''
  })
  return { text: bare.trim(), notes: taken }
}
