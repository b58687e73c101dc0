import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'

/**
 * Installs the clients of each family in its own folder, unless the installed lock file is the same. They are
 * not npm workspaces, so that people who only run the service do not install them. Families with `"full": true` have
 * 300 to 400 MB each: they are installed only with `--full`, and without them their tests are skipped.
 */
const here = import.meta.dirname

const isFull = process.argv.includes('--full')

/** Number of concurrent installations; each one waits for the network half of its time. */
const atOnce = 3

type Family = { readonly folder: string; readonly hash: string }

const missing = readdirSync(here, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap((entry): Family[] => {
    const folder = path.join(here, entry.name)
    const lock = read(path.join(folder, 'package-lock.json'))
    if (lock === undefined) return []
    const { full = false } = JSON.parse(read(path.join(folder, 'package.json')) ?? '{}') as { full?: boolean }
    if (full && !isFull) return []
    const hash = createHash('sha256').update(lock).digest('hex')
    return read(markIn(folder)) === hash ? [] : [{ folder, hash }]
  })
await Promise.all(Array.from({ length: atOnce }, installNext))

async function installNext(): Promise<void> {
  for (let family = missing.shift(); family; family = missing.shift()) await install(family)
}

/** @throws Error with the output of npm. */
async function install({ folder, hash }: Family): Promise<void> {
  process.stdout.write(`installing ${path.basename(folder)}\n`)
  // No client needs an install script, so none may run one.
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund']
  await promisify(execFile)('npm', args, { cwd: folder, timeout: 300_000 })
  writeFileSync(markIn(folder), hash)
}

function markIn(folder: string): string {
  return path.join(folder, 'node_modules', '.installed')
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
