import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { totalmem } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'

const minBuffersMb = 128

/**
 * A quarter of the memory, as the Postgres manual advises (20.4.1), at most 1 GB: that holds the search index
 * of a million passages. Only pages that are read use memory.
 */
function sharedBuffersMb(): number {
  const memoryMb = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY) / 1_048_576
  return Math.max(minBuffersMb, Math.min(1_024, Math.floor(memoryMb / 4)))
}

/** The port of the running server and whether this call has started it, or the reason why there is none. */
export async function adoptOrStart(
  cluster: Cluster,
): Promise<{ readonly port?: number; readonly started: boolean; readonly output: string }> {
  const { run, programs, directory, data, settings } = cluster
  if ((await run(programs.pg_ctl, ['status', '-D', data])).code === 0) {
    const running = await adoptable(data)
    if (running !== undefined) return { port: running, started: false, output: '' }
    await disown(data)
  }
  const port = await freePort(await lastPort(data))
  const options = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    `port=${port}`,
    'jit=off',
    ...settings,
  ]
  const start = (buffersMb: number) => {
    const given = [`shared_buffers=${buffersMb}MB`, ...options].map((setting) => `-c ${setting}`).join(' ')
    const logFile = path.join(directory, 'postgres.log')
    return run(programs.pg_ctl, ['start', '-D', data, '-l', logFile, '-w', '-t', '120', '-o', given])
  }
  let started = await start(sharedBuffersMb())
  // Some environments do not allow a process to reserve memory that it does not use yet.
  if (started.code !== 0) started = await start(minBuffersMb)
  return started.code === 0
    ? { port, started: true, output: '' }
    : { started: false, output: started.output.replaceAll('\n', ' ') }
}

/** Port of the server in `postmaster.pid`, once it is ready. Undefined if that process has ended. */
async function adoptable(data: string): Promise<number | undefined> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const lines = (await readFile(path.join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
    const [pid, port] = [lines[0]?.trim(), Number(lines[3])]
    if (pid && process.platform === 'linux') {
      // After a reboot the id may belong to another program. A killed process that was not reaped is a zombie.
      const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
      if (!/\(postgres\) [^ZX]/.test(state)) return undefined
    }
    if (port > 0 && lines[7]?.trim() === 'ready') return port
    await delay(100)
  }
  return undefined
}

/**
 * Makes a stale `postmaster.pid` harmless if its process has ended but its id is in use. The file stays, with
 * an impossible id: Postgres reads the shared memory key from it and refuses to start while processes of the
 * old server still use the data.
 */
async function disown(data: string): Promise<void> {
  const file = path.join(data, 'postmaster.pid')
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text !== undefined) await writeFile(file, text.replace(/^\d+/, '2147483646'))
}

/** The port of the last start. Processes that outlived the server still have it in their address. */
async function lastPort(data: string): Promise<number> {
  const options = await readFile(path.join(data, 'postmaster.opts'), 'utf8').catch(() => '')
  return Number(/\bport=(\d+)/.exec(options)?.[1] ?? 0)
}

/** The wanted port if it is free, otherwise any. */
async function freePort(wanted: number): Promise<number> {
  const probe = createServer().listen(wanted, '127.0.0.1')
  try {
    await once(probe, 'listening')
  } catch (error) {
    if (wanted === 0) throw error
    return freePort(0)
  }
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}
