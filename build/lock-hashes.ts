import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import process from 'node:process'
import { promisify } from 'node:util'

/**
 * Adds missing hashes to `package-lock.json`. npm omits those of optional packages for other platforms if the
 * registry does not serve them, and `npm ci` then installs these packages unverified. Needs a registry with
 * all platforms. Exits with 1 and names the packages without a hash.
 */
type Entry = { readonly version: string; readonly integrity?: string; readonly link?: boolean }

const execute = promisify(execFile)
const lock = JSON.parse(await readFile('package-lock.json', 'utf8')) as { packages: Record<string, Entry> }
const missing: string[] = []
for (const [path, entry] of Object.entries(lock.packages)) {
  if (path === '' || entry.link || entry.integrity) continue
  const name = path.replace(/^.*node_modules\//, '')
  const integrity = await integrityOf(`${name}@${entry.version}`)
  if (integrity === undefined) missing.push(`${name}@${entry.version}`)
  else {
    const { version, ...rest } = entry
    lock.packages[path] = { version, integrity, ...rest }
  }
}
await writeFile('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`)
for (const name of missing) process.stderr.write(`The registry has no hash of ${name}.\n`)
process.exitCode = missing.length === 0 ? 0 : 1

async function integrityOf(name: string): Promise<string | undefined> {
  const { stdout } = await execute('npm', ['view', name, 'dist.integrity']).catch(() => ({ stdout: '' }))
  return stdout.startsWith('sha512-') ? stdout.trim() : undefined
}
