import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = path.resolve(import.meta.dirname, '../..')

/** The bundled sources of a released version, with the packages of the current one. */
export type ReleasedVersion = {
  readonly version: string
  readonly folder: string
  readonly server: string
  readonly command: string
  remove(): Promise<void>
}

/**
 * The last version in `test/database/released-versions.json`, from git; undefined without git or its history.
 */
export async function lastReleasedVersion(): Promise<ReleasedVersion | undefined> {
  const list = await readFile(path.join(root, 'test/database/released-versions.json'), 'utf8')
  const last = (JSON.parse(list) as readonly { version: string; commit: string }[]).at(-1)
  if (!last || !(await hasCommit(last.commit))) return undefined
  const folder = await sourcesOf(last.commit)
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
  await run(process.execPath, ['build/bundle.ts'], { cwd: folder })
  return {
    version: last.version,
    folder,
    server: path.join(folder, 'dist/server.js'),
    command: path.join(folder, 'src/cli.ts'),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** The last commit that has each migration after version 0.2.0 by itself. Databases that followed the source have a prefix. */
const development = 'b292d524'

/** The migrations of the source after version 0.2.0, in a new folder; undefined without git or its history. */
export async function developmentMigrations(): Promise<string | undefined> {
  if (!(await hasCommit(development))) return undefined
  return sourcesOf(development, 'migrations')
}

/** @returns a new folder with the files of a commit, all or those below some places. */
async function sourcesOf(commit: string, ...places: readonly string[]): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'chat-service-released-'))
  const archive = path.join(folder, 'sources.tar')
  await run('git', ['archive', '--output', archive, commit, ...places], { cwd: root })
  await run('tar', ['-xf', archive, '-C', folder])
  return folder
}

const hasCommit = (commit: string) =>
  run('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: root }).then(
    () => true,
    () => false,
  )
