const NAME_END = /[\w-]/
const LETTERS = /^[a-z]+$/i

/**
 * Whether the text after an offered name is a rest of the model's template. It starts with a character that no name
 * has (`<|channel|>commentary`), or is a shorter word run into the name (`json`). `_v2` makes another name.
 */
function isTail(tail: string, name: string): boolean {
  return !NAME_END.test(tail.charAt(0)) || (LETTERS.test(tail) && tail.length < name.length)
}

/**
 * The offered tool that a sent name means: the name itself, or the longest offered one that the sent name begins or
 * ends with, beside the rest of a template. A name that fits none is returned without surrounding blanks.
 */
export function offeredName(sent: string, offered: readonly string[]): string {
  const name = sent.trim()
  if (offered.includes(name)) return name
  const fitting = offered.filter(
    (tool) =>
      (name.startsWith(tool) && isTail(name.slice(tool.length), tool)) ||
      (name.endsWith(tool) && !NAME_END.test(name.charAt(name.length - tool.length - 1))),
  )
  return fitting.reduce((longest, tool) => (tool.length > longest.length ? tool : longest), '') || name
}
