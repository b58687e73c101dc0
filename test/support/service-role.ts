import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { asAdmin, libraryTemplateOf } from './database.ts'

/** A database with the starter library, and a role that may read and write rows and nothing else. */
export async function openWithRole(password = 'rows-only') {
  const { serviceUrl } = inject('postgres')
  const [name, role] = [`t_${randomBytes(8).toString('hex')}`, `r_${randomBytes(6).toString('hex')}`]
  const at = (user?: string) => {
    const url = new URL(serviceUrl)
    url.pathname = `/${name}`
    if (user !== undefined) [url.username, url.password] = [user, password]
    return url.href
  }
  await asAdmin(async (admin) => {
    await admin.query(
      `create role ${role} login password '${password}' nosuperuser nocreatedb nocreaterole nobypassrls`,
    )
    const template = await libraryTemplateOf(admin)
    await admin.query(`create database ${name} template ${template} owner service strategy file_copy`)
  })
  return {
    ownerUrl: at(),
    roleUrl: at(role),
    drop: () =>
      asAdmin(async (admin) => {
        await admin.query(`drop database ${name} with (force)`)
        await admin.query(`drop role ${role}`)
      }),
  }
}
