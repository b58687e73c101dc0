import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { longLines, sizesWithoutToken } from './pages/faults.ts'

/** Holds the sources of the web pages to lines that fit a window, and their styles to the tokens of `base.css`. */
const root = path.join(import.meta.dirname, '..')
const faults: string[] = []
for (const name of await readdir(path.join(root, 'src/web'), { recursive: true })) {
  if (!/\.(?:ts|js|css)$/.test(name)) continue
  const file = path.posix.join('src/web', name)
  const source = await readFile(path.join(root, file), 'utf8')
  faults.push(...longLines(file, source))
  if (name.endsWith('.css')) faults.push(...sizesWithoutToken(file, source))
}
for (const fault of faults) process.stderr.write(`${fault}\n`)
process.exitCode = faults.length === 0 ? 0 : 1
