/**
 * English sentences with their translations, as in gettext: other parts of the service write their messages in English,
 * and that text is the key. `{name}` stands for any text, and for the same text in the translation.
 */
export type Messages = Readonly<Record<string, string>>

/**
 * Translates a message; returns undefined for one that is not in the table.
 * @param nameOf what stands for a ref or the title of a work in the message; default: the same text.
 */
export type Translator = (english: string, nameOf?: (ref: string) => string) => string | undefined

/** Parts of messages that are refs or titles of works. */
const named: ReadonlySet<string> = new Set(['ref', 'work'])

/**
 * @param fields what pages call the fields of forms and addresses: `{field}` becomes that name. `{why}` is a message
 *   itself, and is translated too.
 */
export function translator(messages: Messages, fields: Readonly<Record<string, string>> = {}): Translator {
  // The longest first: a message about one field also fits the message about any field.
  const patterns = Object.entries(messages)
    .toSorted(([a], [b]) => b.length - a.length)
    .flatMap(([english, translation]) =>
      english.includes('{') ? [{ pattern: patternOf(english), translation }] : [],
    )
  const translate: Translator = (english, nameOf = (ref) => ref) => {
    const whole = Object.hasOwn(messages, english) ? messages[english] : undefined
    if (whole !== undefined) return whole
    for (const { pattern, translation } of patterns) {
      const groups = pattern.exec(english)?.groups
      if (!groups) continue
      return translation.replace(/\{(\w+)\}/g, (_, name: string) => {
        const text = groups[name] ?? ''
        if (name === 'field') return fields[text] ?? text
        if (name === 'why') return translate(text, nameOf) ?? text
        return named.has(name) ? nameOf(text) : text
      })
    }
    return undefined
  }
  return translate
}

/** `{name}` becomes a named group that matches any text. */
function patternOf(english: string): RegExp {
  const source = english
    .split(/(\{\w+\})/)
    .map((part) =>
      /^\{\w+\}$/.test(part) ? `(?<${part.slice(1, -1)}>.+?)` : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'),
    )
    .join('')
  return new RegExp(`^${source}$`, 's')
}
