import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { configurationPage, exampleFile } from '../../build/configuration.ts'

const execute = promisify(execFile)

/** Lines `NAME=` of the example. */
const settings = [...(await readFile('.env.example', 'utf8')).matchAll(/^(\w+)=/gm)].map(
  ([, name]) => `${name}`,
)

describe('docker-compose.yml', async () => {
  const text = await readFile('docker-compose.yml', 'utf8')
  const compose = parse(text, { strict: true, merge: true }) as {
    readonly services: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  }
  const { service } = compose.services

  test('names settings that exist, and passes every one on that is not fixed in a container', () => {
    const passed = Object.keys(service?.['environment'] as object)
    const asked = [...text.matchAll(/[^$]\$\{(\w+)/g)].map(([, name]) => `${name}`)
    expect(asked.filter((name) => !settings.includes(name))).toEqual([])
    const fixed = [
      ...'DATA_DIR HOST PORT MIGRATE_DATABASE_URL POSTGRES_PASSWORD SERVICE_DB_PASSWORD'.split(' '),
      ...'SERVICE_KEY_PEPPER SERVICE_MEMORY POSTGRES_MEMORY POSTGRES_SHARED_BUFFERS'.split(' '),
    ]
    expect([...passed, ...fixed].sort()).toEqual([...settings].sort())
  })

  test('each container has bounds of memory and log, and Postgres the shared memory for parallel queries', () => {
    for (const each of Object.values(compose.services))
      expect(each).toMatchObject({
        restart: 'unless-stopped',
        mem_limit: expect.anything(),
        logging: { options: { 'max-size': '20m', 'max-file': '5' } },
      })
    expect(compose.services['postgres']).toMatchObject({ shm_size: '1g', command: expect.anything() })
  })

  test('the service runs without rights, on a file system that it cannot write to', () => {
    expect(service).toMatchObject({
      read_only: true,
      tmpfs: ['/tmp'],
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    })
  })
})

test('the image runs as an ordinary user, and takes no file in but what it needs', async () => {
  const dockerfile = await readFile('Dockerfile', 'utf8')
  expect(dockerfile).toMatch(/^USER node$/m)
  const ignored = (await readFile('.dockerignore', 'utf8')).trim().split('\n')
  expect(ignored).toEqual('* !package.json !package-lock.json !.npmrc !migrations !src !build'.split(' '))
})

test('.env.example and docs/configuration.md are what the settings make of them', async () => {
  expect(settings.length).toBeGreaterThan(20)
  expect(await readFile('.env.example', 'utf8')).toBe(exampleFile())
  expect(await readFile('docs/configuration.md', 'utf8')).toBe(configurationPage())
})

const hasSystemd = await execute('systemd-analyze', ['--version']).then(
  () => true,
  () => false,
)

describe.skipIf(!hasSystemd)('the systemd unit', () => {
  test('is one that systemd takes, and little is open to it', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'chat-service-unit-'))
    const unit = path.join(folder, 'meduyak.service')
    const text = await readFile('ops/meduyak.service', 'utf8')
    await writeFile(unit, text.replaceAll('/opt/meduyak', process.cwd()))
    // It says what it does not understand on standard error, and ends with 0 all the same.
    const { stderr } = await execute('systemd-analyze', ['verify', unit])
    expect(stderr).toBe('')
    const security = ['security', '--offline=yes', '--threshold=20', unit]
    const { stdout } = await execute('systemd-analyze', security)
    expect(stdout).toContain('OK')
    await rm(folder, { recursive: true, force: true })
  })
})
