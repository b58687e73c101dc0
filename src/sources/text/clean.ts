/** Control characters, which Postgres refuses in part and no title has. */
const controls = /\p{Cc}/gu

/** What people and models write, made fit for a comparison in the database: well-formed and without controls. */
export function clean(text: string): string {
  return text.toWellFormed().replace(controls, ' ').trim()
}
