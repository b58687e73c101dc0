/** Target words per passage: long enough for a thought, short enough to be quoted and compared. */
const targetWords = 120

/** Texts up to this length stay whole, because two short pieces would be less useful. */
const maxUnsplitWords = 180

/** Matches the end of a sentence or paragraph, with the white space after it. */
const sentenceEnd = /(?<=[.!?:;׃…]["'”’׳״)\]]*)\s+|\n+/u

/** Number of passages into which a text is cut. */
export function passageCount(text: string): number {
  const words = countWords(text)
  return words <= maxUnsplitWords ? 1 : Math.max(2, Math.round(words / targetWords))
}

/**
 * Cuts a text into at most `parts` pieces of about equal length. It cuts at ends of sentences, or between words if a
 * sentence is longer than a piece. The pieces joined by spaces are the original text.
 */
export function splitPassages(text: string, parts: number): readonly string[] {
  if (parts <= 1) return [text]
  const target = countWords(text) / parts
  const pieces: string[] = []
  let held: string[] = []
  let heldWords = 0
  let placedWords = 0
  const flush = (): void => {
    if (held.length > 0) pieces.push(held.join(' '))
    placedWords += heldWords
    held = []
    heldWords = 0
  }
  for (const unit of unitsOf(text, target)) {
    const words = countWords(unit)
    // Measured from the start of the text, so that long early pieces do not leave too little for the last one.
    const boundary = (pieces.length + 1) * target
    const before = boundary - (placedWords + heldWords)
    const after = placedWords + heldWords + words - boundary
    if (held.length > 0 && pieces.length < parts - 1 && after > before) flush()
    held.push(unit)
    heldWords += words
  }
  flush()
  return pieces
}

/** Splits a text into sentences, and long sentences into pieces of at most the target length. */
function unitsOf(text: string, target: number): readonly string[] {
  const maxWords = Math.max(1, Math.ceil(target))
  return text
    .split(sentenceEnd)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '')
    .flatMap((sentence) => {
      const words = sentence.split(/\s+/)
      if (words.length <= maxWords * 1.5) return [sentence]
      const count = Math.ceil(words.length / maxWords)
      const size = Math.ceil(words.length / count)
      return Array.from({ length: count }, (_, i) => words.slice(i * size, (i + 1) * size).join(' '))
    })
    .filter((unit) => unit !== '')
}

function countWords(text: string): number {
  return text.split(/\s+/).filter((word) => word !== '').length
}
