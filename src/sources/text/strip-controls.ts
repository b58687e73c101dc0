/** Control characters. Postgres refuses some of them, and no title has any. */
const controls = /\p{Cc}/gu

/**
 * Makes text from people and models safe for a comparison in the database: well-formed Unicode without control
 * characters.
 */
export function stripControls(text: string): string {
  return text.toWellFormed().replace(controls, ' ').trim()
}
