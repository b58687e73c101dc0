/**
 * `node test/bench/files.ts [megabytes]`: uploads one file to a service of its own (on an embedded Postgres in the
 * system's temporary folder), downloads it, reads a part of it, and prints speeds and by how much the memory of the
 * service's process grew. 512 MB unless told.
 */
import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { bundledServer, bundleService } from '../../build/bundle.ts'

const megabyte = 1024 * 1024
const timeoutMs = 600_000

type Service = {
  readonly url: string
  readonly key: string
  readonly child: ChildProcessByStdio<null, Readable, null>
}

async function startService(folder: string): Promise<Service> {
  const env = {
    PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
    DATA_DIR: folder,
    PORT: '0',
    LOG_LEVEL: 'warn',
  }
  const child = spawn(process.execPath, [bundledServer], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  for await (const piece of child.stdout.iterator({ destroyOnReturn: false })) {
    said += piece
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0]
    const key = /svc_\w+/.exec(said)?.[0]
    if (url && key) return { url, key, child }
  }
  throw new Error(`the service did not start: ${said}`)
}

/** The most memory that the process had while `work` ran, in MB beyond what it had before. */
async function growthDuring(pid: number, work: () => Promise<void>): Promise<number> {
  const read = async () =>
    Number((await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)])).stdout) / 1024
  const before = await read()
  let most = before
  let done = false
  const watching = (async () => {
    while (!done) {
      most = Math.max(most, await read())
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  })()
  try {
    await work()
  } finally {
    done = true
    await watching
  }
  return most - before
}

const block = randomBytes(megabyte)

async function upload({ url, key }: Service, megabytes: number): Promise<{ id: string; sha256: string }> {
  const boundary = 'bench-boundary'
  function* body() {
    yield `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="large.bin"\r\n\r\n`
    for (let i = 0; i < megabytes; i += 1) yield block
    yield `\r\n--${boundary}--\r\n`
  }
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': `multipart/form-data; boundary=${boundary}`,
  }
  const sending = request(`${url}/v1/files`, { method: 'POST', headers })
  const replied = once(sending, 'response', { signal: AbortSignal.timeout(timeoutMs) })
  await pipeline(Readable.from(body()), sending)
  const [response] = await replied
  return JSON.parse(await new Response(Readable.toWeb(response) as ReadableStream).text())
}

async function download({ url, key }: Service, id: string, range?: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, ...(range && { range }) }
  const response = await fetch(`${url}/v1/files/${id}/content`, {
    headers,
    signal: AbortSignal.timeout(timeoutMs),
  })
  const hash = createHash('sha256')
  for await (const piece of response.body ?? []) hash.update(piece)
  return hash.digest('hex')
}

async function measure(service: Service, megabytes: number): Promise<void> {
  const report = async (what: string, work: () => Promise<void>) => {
    const start = performance.now()
    const growth = await growthDuring(service.child.pid ?? 0, work)
    const seconds = (performance.now() - start) / 1_000
    const speed = `${(megabytes / seconds).toFixed(0)} MB/s`
    process.stdout.write(`${what}: ${seconds.toFixed(1)} s, ${speed}, memory +${growth.toFixed(0)} MB\n`)
  }
  let file = { id: '', sha256: '' }
  // What every first request loads is not what this is about.
  file = await upload(service, 8)
  await download(service, file.id)
  await report(`upload of ${megabytes} MB`, async () => {
    file = await upload(service, megabytes)
  })
  await report(`download of ${megabytes} MB`, async () => {
    if ((await download(service, file.id)) !== file.sha256) throw new Error('other bytes came back')
  })
  const start = performance.now()
  const end = megabytes * megabyte
  await download(service, file.id, `bytes=${end - 1_000}-${end - 1}`)
  process.stdout.write(`its last 1,000 bytes: ${(performance.now() - start).toFixed(0)} ms\n`)
}

const folder = await mkdtemp(path.join(tmpdir(), 'files-bench-'))
await bundleService({ ifChanged: true })
const service = await startService(folder)
try {
  await measure(service, Number(process.argv[2] ?? 512))
} finally {
  const ended = once(service.child, 'exit')
  service.child.kill('SIGTERM')
  await ended
  await rm(folder, { recursive: true, force: true })
}
