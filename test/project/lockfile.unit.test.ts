import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import known from './unhashed-packages.json' with { type: 'json' }

type Entry = { readonly version: string; readonly integrity?: string; readonly link?: boolean }
type Lockfile = {
  readonly packages: Readonly<Record<string, Entry & { readonly optional?: boolean; readonly cpu?: unknown }>>
}

const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8')) as Lockfile
const unhashed = Object.entries(packages).filter(
  ([path, { integrity, link }]) => path !== '' && !link && !integrity?.startsWith('sha512-'),
)

/**
 * The list names what was without a hash when the check was made. `npm run lock:hashes` fills them in where the registry
 * serves packages of all platforms; then the list is emptied.
 */
test('every package of the lock file has a SHA-512 hash, except the listed ones', () => {
  const names = unhashed.map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${version}`)
  expect(names.sort()).toEqual(known)
})

test('a package without a hash is optional and made for another platform', () => {
  for (const [path, { optional, cpu }] of unhashed)
    expect([path, optional, Boolean(cpu)]).toEqual([path, true, true])
})
