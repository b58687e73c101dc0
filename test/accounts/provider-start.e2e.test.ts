import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../support/database.ts'
import { isShort } from '../support/full.ts'
import { freePort } from '../support/nginx.ts'
import { launchService } from '../support/service-process.ts'
import { openVisitor } from '../support/visitor.ts'
import { pepperText } from '../support/world/accounts.ts'

test.skipIf(isShort)(
  'the service starts while its provider is down, and says so only to who presses the button',
  async () => {
    const db = await createTestDatabase()
    const folder = await mkdtemp(path.join(tmpdir(), 'provider-start-'))
    const file = path.join(folder, 'sign-in.json')
    const down = { id: 'down', label: 'School', issuer: 'http://127.0.0.1:9', client_id: 'lamps' }
    await writeFile(file, JSON.stringify({ providers: [down] }))
    const port = await freePort()
    const service = launchService(folder, {
      DATABASE_URL: db.url,
      KEY_PEPPER: pepperText,
      PORT: String(port),
      APP_URL: `http://127.0.0.1:${port}`,
      SIGN_IN_FILE: file,
    })
    try {
      const url = await service.ready
      const visitor = openVisitor({ url } as Parameters<typeof openVisitor>[0])
      expect(await (await visitor.get('/signin')).text()).toContain('Sign in with School')
      const refused = await visitor.post('/signin/with/down', {})
      expect([refused.status, await refused.text()]).toEqual([
        502,
        expect.stringContaining('cannot be reached'),
      ])
    } finally {
      await service.stop('SIGTERM')
      await db.drop()
      await rm(folder, { recursive: true, force: true })
    }
  },
)
