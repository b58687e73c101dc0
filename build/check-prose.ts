import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { longLines, sizesWithoutToken } from './pages/faults.ts'
import { textsOutsideCatalogue } from './pages/texts.ts'
import { proseFaults, wordFaults } from './prose/faults.ts'

/**
 * Checks README, CONTRIBUTING, SECURITY, the pages under `docs` and the texts of the web pages against the rules of the
 * glossary. Holds the sources of the web pages to lines that fit a window, their styles to the tokens of `base.css`, and
 * their texts to the catalogue.
 */
const root = path.join(import.meta.dirname, '..')
const read = (file: string) => readFile(path.join(root, file), 'utf8')

async function filesBelow(folder: string, ending: RegExp): Promise<readonly string[]> {
  const names = await readdir(path.join(root, folder), { recursive: true })
  return names.filter((name) => ending.test(name)).map((name) => path.posix.join(folder, name))
}

const documents = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...(await filesBelow('docs', /\.md$/))]
const faults: string[] = []
for (const file of documents)
  if (file !== 'docs/glossary.md') faults.push(...proseFaults(file, await read(file)))
for (const file of await filesBelow('src/web', /\.(?:ts|js|css)$/)) {
  const source = await read(file)
  if (file.endsWith('.ts')) faults.push(...wordFaults(file, source))
  // The catalogue holds a sentence per line.
  if (file.startsWith('src/web/texts/')) continue
  faults.push(...longLines(file, source))
  if (/\/(?:pages|components|frame)\/.*\.ts$/.test(file)) faults.push(...textsOutsideCatalogue(file, source))
  if (file.endsWith('.css')) faults.push(...sizesWithoutToken(file, source))
}
for (const fault of faults) process.stderr.write(`${fault}\n`)
process.exitCode = faults.length === 0 ? 0 : 1
