/**
 * English sentences with their translations, as in gettext: other parts of the service write their messages in English,
 * and that text is the key. `{name}` stands for any text, and for the same text in the translation.
 */
export type Messages = Readonly<Record<string, string>>

/** Translates a message; returns undefined for one that is not in the table. */
export type Translator = (english: string) => string | undefined

export function translator(messages: Messages): Translator {
  const patterns = Object.entries(messages).flatMap(([english, translation]) =>
    english.includes('{') ? [{ pattern: patternOf(english), translation }] : [],
  )
  return (english) => {
    const whole = Object.hasOwn(messages, english) ? messages[english] : undefined
    if (whole !== undefined) return whole
    for (const { pattern, translation } of patterns) {
      const groups = pattern.exec(english)?.groups
      if (groups) return translation.replace(/\{(\w+)\}/g, (_, name: string) => groups[name] ?? '')
    }
    return undefined
  }
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
