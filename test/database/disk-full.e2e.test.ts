import { execFileSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { form, send } from '../support/http-raw.ts'
import { readStream } from '../support/sse-rules.ts'
import { gate, reply } from '../support/upstream-scripts.ts'
import { makeProject } from '../support/world/accounts.ts'
import { LiveStream } from '../support/world/live-stream.ts'
import { ask, call } from '../support/world/requests.ts'
import { openWorld, type TroubleWorld } from '../support/world/world.ts'

/** A file system of its own, so small that a test can fill it; undefined where it cannot be made (not root). */
async function smallDisk(): Promise<string | undefined> {
  const directory = await mkdtemp(path.join(tmpdir(), 'chat-service-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=160m', 'tmpfs', directory], { stdio: 'ignore' })
    return directory
  } catch {
    await rm(directory, { recursive: true })
    return undefined
  }
}

const disk = await smallDisk()
let world: TroubleWorld

beforeAll(async () => {
  if (disk !== undefined) world = await openWorld({ trouble: true, plan: 'unlimited', directory: disk })
})
afterAll(async () => {
  if (disk === undefined) return
  await world.close()
  execFileSync('umount', [disk])
  await rm(disk, { recursive: true })
})

const filler = path.join(disk ?? '', 'filler')

function fill(): void {
  for (const size of [1024 * 1024, 4096, 1]) {
    const block = Buffer.alloc(size)
    try {
      while (true) appendFileSync(filler, block)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    }
  }
}

// It needs the right to mount a file system.
test.skipIf(disk === undefined)(
  'with a full disk writes get a 503, reads work, and a turn waits for space',
  async () => {
    const { service, key } = world
    const projectId = await makeProject(world.db.database, world.accountId)
    const full = gate()
    world.upstream.enqueue(
      [
        { text: 'Let me write it down.' },
        { waitFor: full.opened },
        { toolCalls: [{ name: 'write_file', arguments: { name: 'a.txt', content: 'x'.repeat(100_000) } }] },
      ],
      reply('It is written.'),
    )
    const response = await call(service, key, 'POST', '/v1/chat/completions', {
      ...ask('Write'),
      stream: true,
    })
    const stream = new LiveStream(response)
    await stream.until('write it down')
    /** How many transactions have failed. */
    const failures = async () => {
      const statement = `select xact_rollback::int as n from pg_stat_database where datname = 'service'`
      return (await world.rows<{ n: number }>(statement))[0]?.n ?? 0
    }
    const failuresBefore = await failures()
    fill()
    full.open()
    const upload = () =>
      send(service, {
        method: 'POST',
        path: '/v1/files',
        key,
        ...form([
          { name: 'project_id', value: projectId },
          { name: 'file', filename: 'b.txt', content: 'y'.repeat(2 * 1024 * 1024) },
        ]),
      })
    const refused = await upload()
    expect(refused.status).toBe(503)
    expect(refused.headers['retry-after']).toBe('2')
    expect((await call(service, key, 'GET', '/v1/agent/sessions')).status).toBe(200)
    const runId = response.headers.get('x-service-run-id')
    // That of the upload was one; the others are attempts at the turn's first step.
    await expect.poll(failures).toBeGreaterThan(failuresBefore + 2)
    const state = 'select status, epoch from runs where id = $1'
    expect(await world.rows(state, runId)).toEqual([{ status: 'in_progress', epoch: 1 }])
    await rm(filler)
    const { problems, text, error } = readStream(await stream.rest())
    expect({ problems, text, error }).toEqual({
      problems: [],
      text: 'Let me write it down.\n\nIt is written.',
      error: undefined,
    })
    expect(await world.rows(state, runId)).toEqual([{ status: 'completed', epoch: 1 }])
    const versions = 'select count(*)::int as n from file_versions where run_id = $1'
    expect(await world.rows(versions, runId)).toEqual([{ n: 1 }])
    expect((await upload()).status).toBe(200)
    expect(await world.broken()).toEqual([])
    expect(world.uncaught).toEqual([])
  },
)
