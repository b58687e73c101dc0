import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/**
 * Installs the clients of each family in its own folder, unless its lock is the one that is installed already. They are no
 * workspaces: whoever only runs the service installs none of them.
 */
const here = import.meta.dirname

for (const entry of readdirSync(here, { recursive: false, withFileTypes: true })) {
  const family = path.join(here, entry.name)
  const lock = entry.isDirectory() ? read(path.join(family, 'package-lock.json')) : undefined
  if (lock === undefined) continue
  const hash = createHash('sha256').update(lock).digest('hex')
  const mark = path.join(family, 'node_modules', '.installed')
  if (read(mark) === hash) continue
  process.stdout.write(`installing ${entry.name}\n`)
  const options = { cwd: family, stdio: 'inherit', timeout: 300_000 } as const
  // None of them needs a script to run, and so none gets to run one.
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], options)
  if (status !== 0) process.exit(status ?? 1)
  writeFileSync(mark, hash)
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
