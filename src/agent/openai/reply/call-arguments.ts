import { isRecord, parsedJson } from '../../json.ts'

/** The object that a text holds, also one that was encoded more than once. */
function objectIn(text: string): string | undefined {
  let json = text
  for (let value = parsedJson(json); value !== undefined; value = parsedJson(json)) {
    if (isRecord(value)) return json
    if (typeof value !== 'string') return undefined
    json = value
  }
  return undefined
}

/** Where the JSON object that begins at a place ends: after its last brace, or with the text. */
function endOfObject(text: string, from: number): number {
  let depth = 0
  let isQuoted = false
  for (let at = from; at < text.length; at += 1) {
    const character = text[at]
    if (character === '"') isQuoted = !isQuoted
    else if (isQuoted) at += character === '\\' ? 1 : 0
    else if (character === '{') depth += 1
    else if (character === '}') depth -= 1
    if (character === '}' && !isQuoted && depth === 0) return at + 1
  }
  return text.length
}

/** Splits JSON objects that follow each other. The last one may be incomplete. */
function documentsOf(text: string): readonly string[] {
  const documents: string[] = []
  for (let from = 0; from < text.length; ) {
    const end = endOfObject(text, from)
    documents.push(text.slice(from, end).trim())
    from = end
  }
  return documents.filter((document) => document !== '')
}

/** The arguments of one call, from fragments in every form that servers send. */
export class CallArguments {
  #text = ''
  /** The last fragment, while each one repeats the one before and adds to it. */
  #growing: string | null = ''

  /** The fragments, one after the other. */
  get text(): string {
    return this.#text
  }

  /** The number of characters that the arguments have at least. */
  get length(): number {
    return this.#growing?.length ?? this.#text.length
  }

  /** Whether the fragments so far, joined, are one JSON value in braces. */
  get isComplete(): boolean {
    return this.#text.trimEnd().endsWith('}') && parsedJson(this.#text) !== undefined
  }

  add(given: unknown): void {
    // An object is a state, not a fragment: it replaces an earlier one. PHP writes an empty object as a list.
    if (isRecord(given)) this.#text = JSON.stringify(given)
    if (typeof given !== 'string' || given === '') return
    const before = this.#growing
    const grows = before !== null && given.length > before.length && given.startsWith(before)
    this.#growing = grows ? given : null
    this.#text += given
  }

  /**
   * The arguments as one JSON object: the fragments joined, or the last one if each repeats the one before. An empty
   * object before the true ones and repetitions are dropped. Undefined if they are not one object.
   */
  get whole(): string | undefined {
    const joined = objectIn(this.#text)
    if (joined !== undefined) return joined
    const grown = this.#growing === null ? undefined : objectIn(this.#growing)
    if (grown !== undefined) return grown
    const distinct = new Set(documentsOf(this.#text))
    if (distinct.size > 1) distinct.delete('{}')
    const [only] = distinct
    return distinct.size === 1 && only !== undefined ? objectIn(only) : undefined
  }
}
