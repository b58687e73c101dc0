import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'

/** A database, and a role that may read and write rows and nothing else. */
export async function openWithRole(password = 'rows-only') {
  const { adminUrl, serviceUrl } = inject('postgres')
  const [name, role] = [`t_${randomBytes(8).toString('hex')}`, `r_${randomBytes(6).toString('hex')}`]
  const asAdmin = async (...statements: readonly string[]) => {
    const admin = new pg.Client({ connectionString: adminUrl })
    await admin.connect()
    for (const statement of statements) await admin.query(statement)
    await admin.end()
  }
  const at = (user?: string) => {
    const url = new URL(serviceUrl)
    url.pathname = `/${name}`
    if (user !== undefined) [url.username, url.password] = [user, password]
    return url.href
  }
  await asAdmin(
    'select pg_advisory_lock(1)',
    `create role ${role} login password '${password}' nosuperuser nocreatedb nocreaterole nobypassrls`,
    `create database ${name} template service_template owner service`,
  )
  return {
    ownerUrl: at(),
    roleUrl: at(role),
    drop: () => asAdmin(`drop database ${name} with (force)`, `drop role ${role}`),
  }
}
