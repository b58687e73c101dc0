/** The words of markup, as a reader has them, with one blank between them. */
export function wordsIn(markup: string): string {
  return markup
    .replace(/<(script|style)\b[\s\S]*?<\/\1>/g, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')
    .trim()
}

/** The markup of each row of a table of a page, without its head. @param label of the table. */
export function rowsIn(page: string, label: string): readonly string[] {
  const table = page.split(`aria-label="${label}"><table>`)[1]?.split('</table>')[0] ?? ''
  return table.match(/<tr class[\s\S]*?<\/tr>/g) ?? []
}
