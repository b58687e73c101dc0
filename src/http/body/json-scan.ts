import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import { invalidValue, type ServiceError, wrongField } from '../../errors.ts'
import { atMost, type Bound, bounds } from '../limits/bounds.ts'
import { mayBeData } from '../limits/value-size.ts'

/** Characters scanned per iteration of the event loop: about 1 ms. */
const slice = 500_000

/**
 * Scans a JSON text once without building a value, and refuses a text whose value would exceed the bounds.
 * The parser reports text that is not JSON.
 * @returns whether the text contains escaped surrogates.
 * @throws ServiceError `invalid_value`, which names the field and the bound.
 */
export async function scanJson(text: string): Promise<{ readonly surrogates: boolean }> {
  const scan = new JsonScan(text)
  for (const _ of scan.slices()) await turnOfTheLoop()
  return { surrogates: scan.surrogates }
}

/** An array or object whose closing bracket has not been read. */
type Container = {
  readonly isArray: boolean
  /** How many entries have begun. */
  entries: number
  /** Name of the current member. */
  name: string
}

const [quote, comma, u] = [0x22, 0x2c, 0x75]
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d]

class JsonScan {
  surrogates = false
  readonly #text: string
  readonly #open: Container[] = []
  #values = 1
  /** The innermost container expects an entry. */
  #entryDue = false
  /** The next string is the name of a member. */
  #isName = false

  constructor(text: string) {
    this.#text = text
  }

  /** Scans the text, with a pause after each slice. Ignores colons and the characters of numbers and literals. */
  *slices(): Generator<void> {
    const text = this.#text
    for (let at = 0, pause = slice; at < text.length; at += 1) {
      if (at > pause) {
        pause = at + slice
        yield
      }
      const code = text.charCodeAt(at)
      if (isBlank(code)) continue
      const closes = code === closeArray || code === closeObject
      if (this.#entryDue && !closes) this.#beginEntry()
      if (code === quote) at = yield* this.#readText(at + 1)
      else if (closes) this.#leave()
      else this.#readMark(code)
    }
  }

  #readMark(code: number): void {
    if (code === comma) this.#entryDue = true
    else if (code === openArray || code === openObject) this.#enter(code === openArray)
  }

  /** Places at or behind the current one: each sign is searched once, by the engine, as most texts have no escapes. */
  #quote = -1
  #backslash = -1

  #place(sign: string, from: number): number {
    const at = this.#text.indexOf(sign, from)
    return at < 0 ? this.#text.length : at
  }

  /** @returns the place of the closing quotation mark. */
  *#readText(from: number): Generator<void, number> {
    // An escape takes two or six characters.
    let escaped = 0
    for (let at = from, pause = from + slice; ; at = this.#backslash + 2) {
      if (at > pause) {
        pause = at + slice
        yield
      }
      if (this.#quote < at) this.#quote = this.#place('"', at)
      if (this.#backslash < at) this.#backslash = this.#place('\\', at)
      if (this.#quote <= this.#backslash) break
      const isUnicode = this.#text.charCodeAt(this.#backslash + 1) === u
      if (isUnicode) this.#checkEscape(this.#backslash + 2)
      escaped += isUnicode ? 5 : 1
    }
    this.#endText(from, this.#quote - from - escaped)
    return this.#quote
  }

  #endText(from: number, length: number): void {
    if (this.#isName) this.#endName(this.#text.slice(from, this.#quote), length)
    else if (length > bounds.text.max && !this.#isData(from))
      throw this.#exceeded('a text may have', bounds.text, this.#open.length)
  }

  /** Only the data of images and files may exceed the length of a text. */
  #isData(from: number): boolean {
    const inner = this.#open.at(-1)
    return mayBeData(inner && !inner.isArray ? inner.name : '', this.#text.slice(from, from + 5))
  }

  /** Checks the four digits after `\u`. */
  #checkEscape(at: number): void {
    const digits = this.#text.slice(at, at + 4)
    if (digits === '0000') throw invalidValue('The body contains a NUL character (\\u0000). Remove it.')
    if (/^d[89a-f]/i.test(digits)) this.surrogates = true
  }

  #endName(written: string, length: number): void {
    this.#isName = false
    if (length > bounds.memberName.max) {
      throw this.#exceeded('the name of a member may have', bounds.memberName, this.#open.length - 1)
    }
    const name = memberName(written)
    if (name === '__proto__') throw invalidValue('The body contains the key `__proto__`. Remove it.')
    const inner = this.#open.at(-1)
    if (inner) inner.name = name
  }

  #beginEntry(): void {
    this.#entryDue = false
    const inner = this.#open.at(-1)
    if (!inner) return
    inner.entries += 1
    this.#values += 1
    this.#isName = !inner.isArray
    const depth = this.#open.length
    if (inner.entries > bounds.entries.max) {
      throw this.#exceeded('an array or object may have', bounds.entries, depth - 1)
    }
    if (this.#values > bounds.values.max) throw this.#exceeded('the body may have', bounds.values, 1)
  }

  #enter(isArray: boolean): void {
    if (this.#open.length === bounds.depth.max) {
      throw this.#exceeded('the body may have', bounds.depth, 1)
    }
    this.#open.push({ isArray, entries: 0, name: '' })
    this.#entryDue = true
    this.#isName = false
  }

  #leave(): void {
    this.#open.pop()
    this.#entryDue = false
    this.#isName = false
  }

  /** @param levels number of open containers, from the outside, on the path to the named field. */
  #exceeded(what: string, bound: Bound, levels: number): ServiceError {
    const path = this.#open
      .slice(0, Math.min(levels, pathLevels))
      .map(({ isArray, entries, name }, i) =>
        isArray ? `[${entries - 1}]` : `${i === 0 ? '' : '.'}${name.slice(0, 100)}`,
      )
      .join('')
    return wrongField(levels > pathLevels ? `${path}…` : path, `${what} ${atMost(bound)}`)
  }
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

/** Maximum levels of a path in an error message. */
const pathLevels = 8

/** Decodes the escapes of a name, so that it equals the name that the parser reads. */
function memberName(written: string): string {
  if (!written.includes('\\')) return written
  try {
    return String(JSON.parse(`"${written}"`))
  } catch {
    return written
  }
}
