import { beforeAll, expect, test, vi } from 'vitest'
import { runLine } from '../support/command-line.ts'
import { useDatabase } from '../support/database.ts'
import { makeAccount } from '../support/world/accounts.ts'

const db = useDatabase()
beforeAll(async () => {
  for (let n = 0; n < 4; n += 1) {
    const { email } = await makeAccount(db.database)
    await runLine(db, ['keys', 'create', '--account', email])
  }
  // Rows of one transaction have one time.
  await db.database.systemPool.query(
    `update accounts set created_at = now() where id > (select min(id) from accounts)`,
  )
  await db.database.systemPool.query(`update api_keys set created_at = now()`)
})

const run = async (...words: readonly string[]) =>
  JSON.parse(await runLine(db, [...words, '--json'])) as readonly { readonly id: string }[]

test.each(['accounts', 'keys'])('%s list has pages that hold each row once', async (group) => {
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  try {
    const all = (await run(group, 'list')).map(({ id }) => id)
    expect(said).not.toHaveBeenCalled()
    const read: string[] = []
    for (let after: string[] = []; ; ) {
      const page = (await run(group, 'list', '--limit', '1', ...after)).map(({ id }) => id)
      read.push(...page)
      const { 0: line = '' } = said.mock.lastCall ?? []
      said.mockClear()
      if (!String(line).includes('--after')) break
      expect(line).toContain(`continue with --after '${page[0]}'`)
      after = ['--after', page[0] ?? '']
    }
    expect(read).toEqual(all)
    expect(read.length).toBeGreaterThan(3)
  } finally {
    said.mockRestore()
  }
})

test.each([
  ['accounts', ['--after', 'acc_zz'], '--after'],
  ['keys', ['--after', 'key_zz'], '--after'],
  ['sources', ['--limit', '0'], '--limit takes a whole number from 1 to 1000'],
])('%s list refuses %j', async (group, options, message) => {
  await expect(runLine(db, [group, 'list', ...options])).rejects.toThrow(message)
})
