import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import { invalidValue, type ServiceError, wrongField } from '../../errors.ts'
import { atMost, type Bound, bounds } from '../limits/bounds.ts'
import { mayBeData } from '../limits/value-size.ts'

/** Characters scanned per iteration of the event loop: about 2 ms. */
const slice = 1_000_000

/**
 * Scans a JSON text once without building a value, and refuses a text whose value would exceed the bounds.
 * The parser reports text that is not JSON.
 * @returns whether the text contains escaped surrogates.
 * @throws ServiceError `invalid_value`, which names the field and the bound.
 */
export async function scanJson(text: string): Promise<{ readonly surrogates: boolean }> {
  const scan = new JsonScan(text)
  while (!scan.read(slice)) await turnOfTheLoop()
  return { surrogates: scan.surrogates }
}

/** An array or object whose closing bracket has not been read. */
type Container = {
  readonly isArray: boolean
  /** How many entries have begun. */
  entries: number
  /** Start of the current member's name in the text, without its quotation marks. */
  nameFrom: number
  nameTo: number
}

const [quote, comma, backslash] = [0x22, 0x2c, 0x5c]
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d]

class JsonScan {
  surrogates = false
  readonly #text: string
  readonly #open: Container[] = []
  #at = 0
  #values = 1
  #inText = false
  #textFrom = 0
  /** Extra characters of the current string in its escaped form: an escape takes two or six characters. */
  #escaped = 0
  /** The innermost container expects an entry. */
  #entryDue = false
  /** The next or current string is the name of a member. */
  #isName = false

  constructor(text: string) {
    this.#text = text
  }

  /**
   * Reads at most `characters` more characters.
   * @returns whether the text has ended.
   */
  read(characters: number): boolean {
    const end = Math.min(this.#at + characters, this.#text.length)
    while (this.#at < end) {
      if (this.#inText) this.#readText(end)
      else this.#readStructure(end)
    }
    return this.#at >= this.#text.length
  }

  #readText(end: number): void {
    const text = this.#text
    let at = this.#at
    let code = 0
    while (at < end) {
      code = text.charCodeAt(at)
      if (code === quote) break
      if (code === backslash) {
        const isUnicode = text.charCodeAt(at + 1) === 0x75
        if (isUnicode) this.#checkEscape(at + 2)
        this.#escaped += isUnicode ? 5 : 1
        at += 1
      }
      at += 1
    }
    this.#at = at
    if (at >= end || code !== quote) return
    this.#at = at + 1
    this.#inText = false
    if (this.#isName) this.#endName(at)
    else if (at - this.#textFrom - this.#escaped > bounds.text.max) this.#endLongText()
  }

  /** Only the data of images and files may exceed the length of a text. */
  #endLongText(): void {
    const inner = this.#open.at(-1)
    const name = inner && !inner.isArray ? this.#text.slice(inner.nameFrom, inner.nameTo) : ''
    const isData = mayBeData(name, this.#text.slice(this.#textFrom, this.#textFrom + 5))
    if (!isData) throw this.#exceeded('a text may have', bounds.text, this.#open.length)
  }

  /** Checks the four digits after `\u`. */
  #checkEscape(at: number): void {
    const digits = this.#text.slice(at, at + 4)
    if (digits === '0000') {
      throw invalidValue('The body contains a NUL character (\\u0000). Remove it.')
    }
    if (/^d[89a-f]/i.test(digits)) this.surrogates = true
  }

  #endName(at: number): void {
    this.#isName = false
    const inner = this.#open.at(-1)
    if (!inner) return
    inner.nameTo = at
    if (at - inner.nameFrom - this.#escaped > bounds.memberName.max) {
      throw this.#exceeded('the name of a member may have', bounds.memberName, this.#open.length - 1)
    }
    if (memberName(this.#text.slice(inner.nameFrom, at)) === '__proto__') {
      throw invalidValue('The body contains the key `__proto__`. Remove it.')
    }
  }

  #readStructure(end: number): void {
    const text = this.#text
    while (this.#at < end) {
      const code = text.charCodeAt(this.#at)
      this.#at += 1
      if (isBlank(code)) continue
      if (this.#entryDue && code !== closeArray && code !== closeObject) this.#beginEntry()
      if (code === quote) {
        this.#beginText(this.#at)
        return
      }
      this.#readMark(code)
    }
  }

  /** Ignores colons and the characters of numbers and literals. */
  #readMark(code: number): void {
    if (code === comma) this.#entryDue = true
    else if (code === openArray || code === openObject) this.#enter(code === openArray)
    else if (code === closeArray || code === closeObject) this.#leave()
  }

  #beginText(at: number): void {
    this.#inText = true
    this.#textFrom = at
    this.#escaped = 0
    const inner = this.#open.at(-1)
    if (this.#isName && inner) inner.nameFrom = at
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
    this.#open.push({ isArray, entries: 0, nameFrom: 0, nameTo: 0 })
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
    return wrongField(this.#path(levels), `${what} ${atMost(bound)}`)
  }

  #path(levels: number): string {
    const path = this.#open
      .slice(0, Math.min(levels, pathLevels))
      .map(({ isArray, entries, nameFrom, nameTo }, i) => {
        if (isArray) return `[${entries - 1}]`
        const name = memberName(this.#text.slice(nameFrom, Math.min(nameTo, nameFrom + 100)))
        return `${i === 0 ? '' : '.'}${name}`
      })
      .join('')
    return levels > pathLevels ? `${path}…` : path
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
