/** Says what the service makes of a title. With an argument, the row of a work has one more spelling: `node new-spelling.ts URL TITLE yes`. */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { argv, stdout } from 'node:process'
import { pathToFileURL } from 'node:url'

const [, , url = '', title = '', isAmended] = argv
const real = fs.readFileSync
const read = (...args: Parameters<typeof real>) => {
  const text = real(...args)
  return String(args[0]).endsWith('/data/works.tsv')
    ? String(text).replace('|Kedushas Levi|', `|Kedushas Levi|${title}|`)
    : text
}
if (isAmended) Object.assign(fs, { readFileSync: read })
syncBuiltinESMExports()

const source = (path: string) =>
  import(pathToFileURL(new URL(`../../src/${path}`, import.meta.url).pathname).href)
const { openDatabase } = await source('db/client.ts')
const { resolveRef } = await source('sources/refs/ref-lookup.ts')
const { searchSources } = await source('sources/search/search.ts')
const { namesOfKnownWork } = await source('sources/vocabulary/titles/known-works.ts')
const { termsVersion } = await source('sources/vocabulary/terms-version.ts')
const database = openDatabase({ url, onIdleError: () => undefined })
const hits: { ref: string }[] = await searchSources(database.system, { text: title, limit: 3 })
stdout.write(
  JSON.stringify({
    place: (await resolveRef(database.system, `${title} 3`)) ?? null,
    refs: hits.map(({ ref }) => ref),
    names: namesOfKnownWork(title.toLowerCase()) ?? [],
    version: termsVersion(),
  }),
)
await database.close()
