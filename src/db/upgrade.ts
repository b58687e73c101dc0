import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { MigrationMeta } from 'drizzle-orm/migrator'
import type pg from 'pg'
import { ConfigError } from '../config.ts'
import { serviceCommand } from '../version/version.ts'

/** The time of the last migration of version 0.2.0, by which drizzle's table knows it. */
const lastOfReleased = 1_795_362_045_543

/** One section of `migrations/upgrade-from-0.2.sql`: a migration of the development after 0.2.0. */
type Section = { readonly at: number; readonly text: string }

/**
 * Upgrades a schema of version 0.2.0, or of the development after it, to the baseline, in one transaction. A database that
 * has the baseline, or nothing, stays as it is. The caller holds the lock of migrations.
 * @param applied times of the migrations that the database has.
 * @param options.backedUp the operator's word that there is a backup, without which nothing is changed.
 * @throws ConfigError if the schema is older than 0.2.0 or unknown, a replica is connected, there is no backup, or the
 *   credits of an account would change; the database's errors.
 */
export async function upgradeSchema(
  client: pg.Client,
  applied: ReadonlySet<number>,
  baseline: MigrationMeta,
  options: { readonly folder: string; readonly backedUp: boolean },
): Promise<void> {
  if (applied.size === 0 || applied.has(baseline.folderMillis)) return
  const missing = missingSections(applied, await readSections(options.folder))
  await requireNoReplica(client)
  if (!options.backedUp) throw new ConfigError(backupWanted)
  await client.query('begin')
  try {
    for (const { text } of missing) await client.query(text)
    await client.query('delete from public.__drizzle_migrations')
    await client.query('insert into public.__drizzle_migrations (hash, created_at) values ($1, $2)', [
      baseline.hash,
      baseline.folderMillis,
    ])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    if ((error as { code?: string }).code !== creditsDiffer) throw error
    const { message } = error as Error
    throw new ConfigError(
      `The upgrade was undone, because ${message}. Run \`doctor\` with version 0.2.0 to see what is wrong there.`,
      { cause: error },
    )
  }
}

/** SQLSTATE of the upgrade's own comparison of all credits before and after. */
const creditsDiffer = 'TU003'

const backupWanted = `The schema is that of version 0.2 and must be upgraded, which cannot be undone. Stop every replica, make a backup (for example with \`pg_dump\`, or copy the stopped DATA_DIR of an embedded Postgres), then run \`${serviceCommand} migrate --backed-up\`, or start once with UPGRADE_BACKED_UP=yes.`

async function readSections(folder: string): Promise<readonly Section[]> {
  const file = await readFile(path.join(folder, 'upgrade-from-0.2.sql'), 'utf8')
  return file
    .split(/^--> migration /m)
    .slice(1)
    .map((section) => ({
      at: Number.parseInt(section, 10),
      text: section.slice(section.indexOf('\n')),
    }))
}

function missingSections(applied: ReadonlySet<number>, sections: readonly Section[]): readonly Section[] {
  const last = Math.max(...applied)
  if (last < lastOfReleased) {
    throw new ConfigError(
      'The schema is older than version 0.2.0. Start version 0.2.0 once, which upgrades it, then this version.',
    )
  }
  if (last !== lastOfReleased && !sections.some(({ at }) => at === last)) {
    throw new ConfigError(
      'The schema is of a version that this one does not know. Use the version that wrote it, or a newer one.',
    )
  }
  return sections.filter(({ at }) => at > last)
}

/**
 * Each replica listens on one connection, and holds its presence lock there. A connection through a pooler may hide its
 * name, and an old one may have no lock.
 */
async function requireNoReplica(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ replicas: number }>(
    `select count(*)::int as replicas from pg_stat_activity a
     where a.datname = current_database() and a.pid <> pg_backend_pid()
       and (a.application_name in ('agent-chat-service-listener', 'meduyak-listener')
         or a.pid in (select l.pid from pg_locks l
           where l.locktype = 'advisory' and l.classid = 720311504 and l.objsubid = 2))`,
  )
  const replicas = rows[0]?.replicas ?? 0
  if (replicas === 0) return
  throw new ConfigError(
    `The schema must be upgraded, and ${replicas} ${replicas === 1 ? 'replica is' : 'replicas are'} connected to the database. Stop every replica of the service, then try again.`,
  )
}
