import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { bundledCommand, bundledServer } from '../../build/bundle.ts'
import { ConfigError, readConfig } from '../../src/config.ts'
import { openInstallation } from '../../src/installation.ts'
import { isShort } from '../support/full.ts'
import { listen } from '../support/loopback.ts'
import { launchService, type ServiceProcess } from '../support/service-process.ts'

const started = new Set<ServiceProcess>()
let folder: string
/** Of the installation in `data`. */
let key: string

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'chat-service-start-'))
})
afterAll(async () => {
  // Only after a failure there are any left.
  for (const service of started) service.signal('SIGKILL')
  const pid = await postgresPid(path.join(folder, 'data')).catch(() => 0)
  if (pid > 0) process.kill(pid, 'SIGINT')
  await rm(folder, { recursive: true, force: true, maxRetries: 10 })
})

function launch(env: Readonly<Record<string, string>>): ServiceProcess {
  const service = launchService(folder, env)
  started.add(service)
  void service.ended.then(() => started.delete(service))
  return service
}

async function asJson(url: string, key: string, body?: object): Promise<unknown> {
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })
  expect(response.status).toBe(200)
  return response.json()
}

async function projectNames(url: string, key: string): Promise<readonly string[]> {
  const list = (await asJson(`${url}/v1/projects`, key)) as { data: { name: string }[] }
  return list.data.map(({ name }) => name)
}

async function postgresPid(dataDir: string): Promise<number> {
  return Number((await readFile(path.join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0])
}

const keyIn = (output: string) => /API key +(svc_\w+)/.exec(output)?.[1]

/** Four processes one after the other, and two starts of Postgres. */
const patient = { timeout: 600_000 }

test('a first start prints a key once, and its data survives restarts and kill -9', patient, async () => {
  const dataDir = path.join(folder, 'data')
  const env = { DATA_DIR: dataDir }

  const first = launch(env)
  const firstUrl = await first.ready
  key = keyIn(first.output()) ?? ''
  expect(first.output().split(key)).toHaveLength(3) // in the table and in the ready command
  await asJson(`${firstUrl}/v1/projects`, key, { name: 'before kill -9' })
  const pid = await postgresPid(dataDir)
  await first.stop('SIGKILL')

  const second = launch(env)
  const secondUrl = await second.ready
  expect(await postgresPid(dataDir), 'the orphaned Postgres is adopted').toBe(pid)
  expect(await projectNames(secondUrl, key)).toEqual(['before kill -9'])
  await asJson(`${secondUrl}/v1/projects`, key, { name: 'before both were killed' })
  await Promise.all([second.stop('SIGKILL'), process.kill(pid, 'SIGKILL')])

  const third = launch({ ...env, METRICS_TOKEN: 'a token for tests' })
  const url = await third.ready
  expect(await projectNames(url, key)).toHaveLength(2)
  expect(keyIn(third.output())).toBeUndefined()
  const { version } = (await (await fetch(`${url}/healthz`)).json()) as { version: string }
  expect(version).toMatch(/^\d+\.\d+\.\d+(-\w+)?\+[0-9a-f]{8}$/)
  const headers = { authorization: 'Bearer a token for tests' }
  expect(await (await fetch(`${url}/metrics`, { headers })).text()).toContain(
    `service_build_info{version="${version}"} 1`,
  )

  const rival = await launch(env).ended
  expect(rival).toMatchObject({ code: 1, stdout: '' })
  expect(rival.stderr).toBe(`Another service uses the data folder ${dataDir}. Stop it, or set DATA_DIR.\n`)
  expect(await projectNames(url, key), 'the rival did no harm').toHaveLength(2)

  // A terminal and npm both pass a signal on.
  void third.stop('SIGINT')
  expect(await third.stop('SIGTERM')).toMatchObject({ code: 0, stderr: '' })
  expect(third.output(), 'a planned shutdown is no error').not.toContain('"level":50')
  await expect(postgresPid(dataDir)).rejects.toThrow('ENOENT')
})

test.skipIf(isShort).each(['SIGTERM', 'SIGINT'] as const)(
  '%s at any moment of a first start leaves no Postgres behind',
  patient,
  async (signal) => {
    const dataDir = path.join(folder, `stopped by ${signal}`)
    const ready = ['secrets.json', 'postgres.new', 'postgres/postmaster.pid']
    for (const made of ready) {
      const service = launch({ DATA_DIR: dataDir })
      await expect.poll(() => existsSync(path.join(dataDir, made)), { interval: 5 }).toBe(true)
      expect(await service.stop(signal)).toMatchObject({ code: 0, stderr: '' })
      expect(existsSync(path.join(dataDir, 'postgres', 'postmaster.pid')), made).toBe(false)
      if (made !== 'postgres/postmaster.pid') await rm(dataDir, { recursive: true, force: true })
    }
    const next = launch({ DATA_DIR: dataDir })
    await next.ready
    expect(keyIn(next.output()), 'the first credentials were not lost').toBeDefined()
    expect(await next.stop('SIGTERM')).toMatchObject({ code: 0, stdout: '' })
  },
)

/** What the start of a service with these settings is refused with. */
async function refusal(env: Readonly<Record<string, string>>): Promise<string> {
  try {
    await openInstallation(readConfig(env), pino({ level: 'silent' }))
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  return 'accepted'
}

test('a data folder with wrong secrets or a damaged cluster is refused, and no Postgres stays', async () => {
  // The first test has filled it.
  const dataDir = path.join(folder, 'data')
  const file = path.join(dataDir, 'secrets.json')
  const secrets = await readFile(file, 'utf8')
  const refused = async (): Promise<string> => {
    const sentence = await refusal({ DATA_DIR: dataDir })
    expect(existsSync(path.join(dataDir, 'postgres', 'postmaster.pid'))).toBe(false)
    return sentence
  }
  await writeFile(file, JSON.stringify({ ...JSON.parse(secrets), postgresPassword: 'another' }))
  expect(await refused()).toContain('does not fit the data beside it. Restore both from the same backup.')
  await writeFile(file, '{')
  expect(await refused()).toContain('It cannot be read. Restore it from a backup.')
  await rm(file)
  expect(await refused()).toContain('It is missing. Restore it from a backup.')
  expect(existsSync(file), 'no new secrets are made in silence').toBe(false)
  await writeFile(file, secrets)
  await rm(path.join(dataDir, 'postgres', 'PG_VERSION'))
  expect(await refused()).toContain('it has no PG_VERSION. Restore the data folder from a backup')
})

describe('what cannot work is told in one sentence', () => {
  const pepper = 'a pepper for tests only'

  test('a database that cannot be reached ends the process with exit code 1', async () => {
    const env = { DATABASE_URL: 'postgres://u:secret@127.0.0.1:1/chat', KEY_PEPPER: pepper }
    const sentence =
      'The database 127.0.0.1:1/chat cannot be used: connect ECONNREFUSED 127.0.0.1:1. Check DATABASE_URL.'
    expect(await launch(env).ended).toEqual({ code: 1, stdout: '', stderr: `${sentence}\n` })
  })

  test.each([
    [{ DATABASE_URL: 'postgres://u:p@127.0.0.1:1/chat' }, 'KEY_PEPPER is not. Set'],
    [{ MODEL_BASE_URL: 'http://127.0.0.1:1/v1' }, 'MODEL_NAME is not. Set both'],
    [{ PORT: 'http' }, 'The setting PORT is wrong: must be a whole number from 0 to 65535.'],
    [{ PORT: '70000' }, 'The setting PORT is wrong: must be a whole number from 0 to 65535.'],
    [{ DATABASE_URL: 'localhost:5432', KEY_PEPPER: pepper }, 'must start with postgres://'],
    [{ DATABASE_URL: 'postgres://a:b@c:d/e', KEY_PEPPER: pepper }, 'is no URL'],
    [{ DATA_DIR: `${bundledServer}/data` }, 'Choose another with DATA_DIR'],
    [{ DATA_DIR: '/proc/no-folder/data' }, 'Choose another with DATA_DIR'],
    [
      { SIGNUP_PLAN: 'gold' },
      'SIGNUP_PLAN is "gold", which is not a plan. Use one of: free, basic, pro, unlimited.',
    ],
    [{ KEY_PEPPER: 'short' }, 'KEY_PEPPER has fewer than 16 characters.'],
  ])('%j is refused before a database is made', async (env, sentence) => {
    const dataDir = path.join(folder, 'refused')
    expect(await refusal({ DATA_DIR: dataDir, ...env })).toContain(sentence)
    expect(existsSync(dataDir)).toBe(false)
  })

  test('DATABASE_URL with a wrong password is refused without repeating it', async () => {
    const url = new URL(inject('postgres').serviceUrl)
    url.password = 'mistaken'
    const sentence = await refusal({ DATABASE_URL: url.href, KEY_PEPPER: pepper })
    expect(sentence).toContain('password authentication failed for user "service". Check DATABASE_URL.')
    expect(sentence).not.toContain('mistaken')
  })

  test('a port that is taken ends the process before a database is made', async () => {
    const holder = createServer()
    const port = await listen(holder)
    const env = { PORT: String(port), DATA_DIR: path.join(folder, 'refused') }
    const stderr = `Port ${port} on 127.0.0.1 is in use. Choose another with PORT.\n`
    expect(await launch(env).ended).toEqual({ code: 1, stdout: '', stderr })
    expect(existsSync(env.DATA_DIR)).toBe(false)
    holder.close()
  })
})

test('a command whose reader has enough ends without a complaint', async () => {
  const child = spawn(process.execPath, [bundledCommand, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.destroy()
  const [complaint, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
  expect({ code, complaint }).toEqual({ code: 0, complaint: '' })
})
