import { mkdtemp, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** What the databases of a whole run take at most, four times over. */
const enoughBytes = 4 * 1_024 ** 3

/** A new folder for a Postgres. In memory where there is enough: a database is cloned there in a tenth of the processor time. */
export async function makeClusterFolder(prefix: string): Promise<string> {
  const memory = '/dev/shm'
  const free = await statfs(memory).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  )
  return mkdtemp(path.join(free >= enoughBytes ? memory : tmpdir(), prefix))
}

/** What of Postgres costs time and proves nothing here. Sign-ins by a password are real, at a low price. */
export const clusterSettings: readonly string[] = [
  'fsync=off',
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'max_wal_size=256MB',
  'shared_buffers=256MB',
  'scram_iterations=1',
]
