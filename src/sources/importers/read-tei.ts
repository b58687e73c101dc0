import { Parser } from 'htmlparser2'
import { ServiceError } from '../../errors.ts'
import type { TextFacts } from './front-matter.ts'
import type { NotedBlock } from './markdown-passages.ts'
import { definedOf, type OwnText, ownText } from './read-markdown.ts'

/** Elements that hold one paragraph or line of the text. */
const paragraphs = new Set(['p', 'l', 'ab'])

/** Elements whose text does not belong to the text of the work. */
const dropped = new Set(['fw', 'figure', 'gap', 'back'])

/** Elements of the header that name a property, by their parents: the first one of each counts. */
const headerFacts: Readonly<Record<string, keyof TextFacts>> = {
  'titleStmt title': 'title',
  'titleStmt author': 'author',
  'availability licence': 'license',
  'publicationStmt ptr': 'source_url',
}

/**
 * Reads a text in TEI (P5). `head` in a `div` becomes a part of the refs; a `div` without one counts by its `n`. Each `p`,
 * `l` and `ab` is a paragraph, `note` a footnote. Breaks (`pb`, `lb`, `milestone`) are left out, and `foreign` and `hi` are
 * plain text. Title, author and licence come from the header, the language from `xml:lang` of `text` or `TEI`.
 * @throws ServiceError `invalid_value` when it is not TEI, and like `ownText`.
 */
export function readTei(content: string, flags: TextFacts): OwnText {
  const reader = new TeiReader()
  const parser = new Parser(reader, { xmlMode: true, decodeEntities: true })
  parser.write(
    content
      .replace(/^\ufeff/, '')
      .replaceAll('\0', '')
      .toWellFormed(),
  )
  parser.end()
  if (!reader.isTei) {
    throw new ServiceError('invalid_value', 'The text is not TEI: it has no element `TEI` with a `body`.')
  }
  return ownText({ ...reader.facts, ...definedOf(flags) }, reader.blocks)
}

/** Receives the parser's events. */
class TeiReader {
  isTei = false
  readonly facts: Partial<Record<keyof TextFacts, string>> = {}
  readonly blocks: NotedBlock[] = []
  readonly #open: string[] = []
  /** Number of open `div`s, and whether the innermost one has a heading. */
  #level = 0
  #text = ''
  #notes: string[] = []
  #note: string | undefined

  onopentag(tag: string, attributes: Readonly<Record<string, string>>): void {
    const name = localName(tag)
    const language = attributes['xml:lang']
    if ((name === 'TEI' || name === 'text') && language !== undefined)
      this.facts.language = language.split('-')[0] ?? language
    if (name === 'body') this.isTei = this.#open.includes('TEI')
    if (paragraphs.has(name) || name === 'head' || name === 'div') this.#flush(0)
    if (/^div\d?$/.test(name)) {
      this.#level += 1
      const number = attributes['n']
      if (number !== undefined) this.blocks.push({ level: this.#level, text: number, notes: [] })
    }
    if (name === 'note') this.#note = ''
    if (name === 'lb' || name === 'pb' || name === 'cb' || name === 'milestone') this.ontext(' ')
    const fact = headerFacts[`${this.#open.at(-1)} ${name}`]
    if (fact && attributes['target'] !== undefined) this.facts[fact] ??= attributes['target']
    this.#open.push(name)
  }

  ontext(text: string): void {
    const fact = headerFacts[this.#open.slice(-2).join(' ')]
    if (fact && text.trim() !== '') this.facts[fact] ??= text.trim()
    if (!this.#open.includes('text') || this.#open.some((name) => dropped.has(name))) return
    if (this.#note !== undefined) this.#note += text
    else if (this.#open.some((name) => paragraphs.has(name) || name === 'head')) this.#text += text
  }

  onclosetag(tag: string): void {
    const name = localName(tag)
    this.#open.pop()
    if (name === 'note' && this.#note !== undefined) {
      this.#notes.push(tidy(this.#note))
      this.#note = undefined
    }
    if (paragraphs.has(name)) this.#flush(0)
    if (name === 'head') this.#flush(this.#level)
    if (/^div\d?$/.test(name)) this.#level -= 1
  }

  /** Ends a heading or a paragraph. A heading takes the place of the number of its `div`. */
  #flush(level: number): void {
    const text = tidy(this.#text)
    if (level > 0 && this.blocks.at(-1)?.level === level) this.blocks.pop()
    if (text !== '') this.blocks.push({ level, text, notes: this.#notes })
    this.#text = ''
    this.#notes = []
  }
}

/** The name of an element without the prefix of its namespace. */
function localName(tag: string): string {
  return tag.slice(tag.indexOf(':') + 1)
}

function tidy(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
