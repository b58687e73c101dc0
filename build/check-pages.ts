import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { longLines, sizesWithoutToken } from './pages/faults.ts'
import { textsOutsideCatalogue } from './pages/texts.ts'

/**
 * Holds the sources of the web pages to lines that fit a window, their styles to the tokens of `base.css`, and their
 * texts to the catalogue.
 */
const root = path.join(import.meta.dirname, '..')
const faults: string[] = []
for (const name of await readdir(path.join(root, 'src/web'), { recursive: true })) {
  if (!/\.(?:ts|js|css)$/.test(name)) continue
  const file = path.posix.join('src/web', name)
  const source = await readFile(path.join(root, file), 'utf8')
  // The catalogue holds a sentence per line.
  if (file.startsWith('src/web/texts/')) continue
  faults.push(...longLines(file, source))
  if (/\/(?:pages|components|frame)\/.*\.ts$/.test(file)) faults.push(...textsOutsideCatalogue(file, source))
  if (name.endsWith('.css')) faults.push(...sizesWithoutToken(file, source))
}
for (const fault of faults) process.stderr.write(`${fault}\n`)
process.exitCode = faults.length === 0 ? 0 : 1
