import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { ConfigError } from '../../config.ts'
import { messageOf } from '../../errors.ts'

/** Secrets of an embedded installation, stored next to its data and readable only by their owner. */
export type InstallationSecrets = { readonly postgresPassword: string; readonly keyPepper: string }

/**
 * Reads the secrets of the installation and creates them on first use.
 * @throws ConfigError if the folder cannot be used, or has data whose secrets are lost.
 */
export async function installationSecrets(dataDir: string): Promise<InstallationSecrets> {
  const directory = path.resolve(dataDir)
  const file = path.join(directory, 'secrets.json')
  try {
    // Other users may traverse the folder to reach the cluster, which Postgres itself keeps private.
    const mode = 0o711
    await makeFolder(directory, mode)
    // Asked first: another process that starts at once makes the secrets before the data.
    const hasData = existsSync(path.join(directory, 'postgres'))
    if (!existsSync(file)) {
      if (hasData) throw lost(file, 'It is missing.')
      await makeSecrets(file)
    }
    return parseSecrets(file, await readFile(file, 'utf8'))
  } catch (error) {
    if (error instanceof ConfigError) throw error
    throw new ConfigError(
      `The data folder ${directory} cannot be used. Choose another with DATA_DIR, or change its permissions. (${messageOf(error)})`,
    )
  }
}

/** New secrets would fit neither the database nor the API keys in it. */
const lost = (file: string, what: string): ConfigError =>
  new ConfigError(`${file} has the secrets of the data beside it. ${what} Restore it from a backup.`)

function parseSecrets(file: string, text: string): InstallationSecrets {
  try {
    const { postgresPassword, keyPepper } = JSON.parse(text) as Partial<InstallationSecrets>
    if (postgresPassword && keyPepper) return { postgresPassword, keyPepper }
  } catch {
    // The same as a field that is missing.
  }
  throw lost(file, 'It cannot be read.')
}

/**
 * Creates a folder and those above it. Node's recursive call tells no reason on a read-only file system, and never
 * ends where the folder above exists and can have none in it, as in /proc.
 */
async function makeFolder(directory: string, mode: number): Promise<void> {
  if (existsSync(directory)) return
  const above = path.dirname(directory)
  if (above !== directory) await makeFolder(above, mode)
  await mkdir(directory, { mode }).catch((error: NodeJS.ErrnoException) => {
    // Another process that starts at once may have made it.
    if (error.code !== 'EEXIST' || !existsSync(directory)) throw error
  })
}

/**
 * Creates the file atomically by linking a complete draft, even if two processes start at once or one is
 * killed.
 */
async function makeSecrets(file: string): Promise<void> {
  const made: InstallationSecrets = {
    postgresPassword: randomBytes(24).toString('hex'),
    keyPepper: randomBytes(32).toString('hex'),
  }
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  await writeFile(draft, JSON.stringify(made, null, 2), { mode: 0o600, flag: 'wx' })
  try {
    await link(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(draft)
  }
}
