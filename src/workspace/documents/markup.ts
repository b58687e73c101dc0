import { Parser, type ParserOptions } from 'htmlparser2'

/** Maximum nesting depth. The parser's work grows with its square, and real documents stay far below it. */
const deepest = 1_000

/** A document cannot be read. The message is a sentence for the model. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable'
}

export type MarkupReader = {
  open(name: string, attributes: Readonly<Record<string, string>>): void
  close(name: string): void
  text(text: string): void
}

/**
 * Parses markup and passes elements and text to a reader. Entities that a document declares are not expanded.
 * @throws Unreadable for markup that is nested too deeply; what the reader throws.
 */
export function markupParser(reader: MarkupReader, options: ParserOptions): Pick<Parser, 'write' | 'end'> {
  let depth = 0
  return new Parser(
    {
      onopentag(name, attributes) {
        depth += 1
        if (depth > deepest) throw new Unreadable('Its markup is nested too deeply.')
        reader.open(name, attributes)
      },
      onclosetag(name) {
        depth -= 1
        reader.close(name)
      },
      ontext: (text) => reader.text(text),
    },
    options,
  )
}
