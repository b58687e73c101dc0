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
 * @throws ConfigError if the folder cannot be used.
 */
export async function installationSecrets(dataDir: string): Promise<InstallationSecrets> {
  const directory = path.resolve(dataDir)
  const file = path.join(directory, 'secrets.json')
  try {
    // Other users may traverse the folder to reach the cluster, which Postgres itself keeps private.
    const mode = 0o711
    // On a read-only file system a recursive call fails with ENOENT, a plain one with the reason.
    await mkdir(directory, { recursive: true, mode }).catch(() => mkdir(directory, { mode }))
    if (!existsSync(file)) await makeSecrets(file)
    return JSON.parse(await readFile(file, 'utf8')) as InstallationSecrets
  } catch (error) {
    throw new ConfigError(
      `The data folder ${directory} cannot be used. Choose another with DATA_DIR, or change its permissions. (${messageOf(error)})`,
    )
  }
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
