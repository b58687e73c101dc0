import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'

/**
 * Installs the clients of each family in its own folder, unless its lock is the one that is installed already. They are no
 * workspaces: whoever only runs the service installs none of them.
 */
const here = import.meta.dirname

/** An installation waits for the network half of its time. */
const atOnce = 3

type Family = { readonly folder: string; readonly hash: string }

const missing = readdirSync(here, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap((entry): Family[] => {
    const folder = path.join(here, entry.name)
    const lock = read(path.join(folder, 'package-lock.json'))
    if (lock === undefined) return []
    const hash = createHash('sha256').update(lock).digest('hex')
    return read(markIn(folder)) === hash ? [] : [{ folder, hash }]
  })
await Promise.all(Array.from({ length: atOnce }, installNext))

async function installNext(): Promise<void> {
  for (let family = missing.shift(); family; family = missing.shift()) await install(family)
}

/** @throws Error with what npm said. */
async function install({ folder, hash }: Family): Promise<void> {
  process.stdout.write(`installing ${path.basename(folder)}\n`)
  // None of them needs a script to run, and so none gets to run one.
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
