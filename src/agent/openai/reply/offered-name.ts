const NAME_CHARACTER = /[\w-]/
const LETTERS = /^[a-z]+$/i

/**
 * Whether the text after an offered name is a rest of the model's template. It starts with a character that no name
 * has (`<|channel|>commentary`), or is a shorter word run into the name (`json`). `_v2` makes another name.
 */
function isTail(tail: string, tool: string): boolean {
  return !NAME_CHARACTER.test(tail.charAt(0)) || (LETTERS.test(tail) && tail.length < tool.length)
}

/**
 * The offered tool that a sent name means: the name itself, or the longest offered one that it contains as a word
 * beside the rest of a template. A name that fits none is returned without surrounding blanks.
 */
export function offeredName(sent: string, offered: readonly string[]): string {
  const name = sent.trim()
  if (offered.includes(name)) return name
  const fitting = offered.filter((tool) => {
    const at = name.indexOf(tool)
    return at >= 0 && !NAME_CHARACTER.test(name.charAt(at - 1)) && isTail(name.slice(at + tool.length), tool)
  })
  return fitting.reduce((longest, tool) => (tool.length > longest.length ? tool : longest), '') || name
}
