import { chown, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { ConfigError } from '../../config.ts'
import type { Identity, Programs, Run } from './programs.ts'

export type Cluster = {
  /** The data folder, and the folder of the cluster in it. */
  readonly directory: string
  readonly data: string
  readonly programs: Programs
  readonly identity: Identity | undefined
  readonly run: Run
  readonly settings: readonly string[]
  readonly password: string
}

/**
 * Creates the cluster under another name and renames it when it is complete, so a kill leaves no partial
 * cluster.
 */
export async function initialise({
  directory,
  data,
  programs,
  identity,
  run,
  password,
}: Cluster): Promise<void> {
  const fresh = path.join(directory, 'postgres.new')
  const passwordFile = path.join(directory, 'postgres.pw')
  await rm(fresh, { recursive: true, force: true })
  await mkdir(fresh, { mode: 0o700 })
  await writeFile(passwordFile, password, { mode: 0o600 })
  await writeFile(path.join(directory, 'postgres.log'), '', { flag: 'a', mode: 0o600 })
  if (identity) {
    for (const p of [fresh, passwordFile, path.join(directory, 'postgres.log')]) {
      await chown(p, identity.uid, identity.gid)
    }
  }
  const made = await run(programs.initdb, [
    `--pgdata=${fresh}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--locale=C.UTF-8',
  ])
  await rm(passwordFile, { force: true })
  if (made.code !== 0) {
    throw new ConfigError(
      `The embedded Postgres could not be created in ${directory}: ${tellingLines(made.output)}`,
    )
  }
  await rename(fresh, data)
}

/** Earlier lines of a log belong to earlier starts. */
const examinedLines = 30

/**
 * The lines of Postgres's output that say why it failed, otherwise its last ones. The reason, such as a full disk, often
 * stands before several lines about the end of the server.
 */
export function tellingLines(output: string): string {
  const lines = output.trim().split('\n').slice(-examinedLines)
  const telling = lines.filter((line) => /\b(?:ERROR|FATAL|PANIC|HINT): |\berror: /.test(line))
  return (telling.length > 0 ? telling : lines).slice(-3).join(' ')
}
