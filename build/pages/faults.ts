/** Characters of a line; a longer one hides what a template puts into the page. */
const maxLength = 120

/** Lines of a source file of the pages that are too long, a sentence each. */
export function longLines(file: string, source: string): readonly string[] {
  return source.split('\n').flatMap((line, at) => {
    if (line.length <= maxLength) return []
    return [`${file}:${at + 1}: ${line.length} characters, at most ${maxLength}: break the line.`]
  })
}

const fontSize = /^(?:font-size|font)$/
const spacing = /^(?:margin|padding|gap|row-gap|column-gap)/

/**
 * Sizes in a style sheet that are no tokens, a sentence each: font sizes in any unit; margins, paddings and gaps in
 * `rem` or `px`. Those in `em` follow the text around them and are allowed, and so are the tokens' own lines.
 */
export function sizesWithoutToken(file: string, css: string): readonly string[] {
  return css.split('\n').flatMap((line, at) => {
    const [, property = '', value = ''] = /^\s*([a-z-]+):\s*(.*);$/.exec(line) ?? []
    const isFont = fontSize.test(property) && /\d(?:rem|em|px)\b/.test(value)
    const isSpace = spacing.test(property) && /\d(?:rem|px)\b/.test(value)
    if (!isFont && !isSpace) return []
    const tokens = isFont ? '--text-…' : '--space-…'
    return [`${file}:${at + 1}: "${property}: ${value}": use a token ${tokens} of base.css.`]
  })
}
