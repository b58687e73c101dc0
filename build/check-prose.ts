import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { proseFaults, wordFaults } from './prose/faults.ts'

/**
 * Checks README, CONTRIBUTING, SECURITY, the pages under `docs` and the texts of the web pages against the rules of the
 * glossary.
 */
const root = path.join(import.meta.dirname, '..')
const read = (file: string) => readFile(path.join(root, file), 'utf8')

async function filesBelow(folder: string, ending: string): Promise<readonly string[]> {
  const names = await readdir(path.join(root, folder), { recursive: true })
  return names.filter((name) => name.endsWith(ending)).map((name) => path.posix.join(folder, name))
}

const documents = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...(await filesBelow('docs', '.md'))]
const faults: string[] = []
for (const file of documents)
  if (file !== 'docs/glossary.md') faults.push(...proseFaults(file, await read(file)))
for (const file of await filesBelow('src/web', '.ts')) faults.push(...wordFaults(file, await read(file)))
for (const fault of faults) process.stderr.write(`${fault}\n`)
process.exitCode = faults.length === 0 ? 0 : 1
