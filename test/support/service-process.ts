import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { bundledServer } from '../../build/bundle.ts'

/** As `npm start` has it: compiling takes a fifth of the CPU time of a start. */
export const compileCache = path.resolve(import.meta.dirname, '../../node_modules/.cache/node')

/**
 * The service as people start it: its own process, controlled by signals, and observed by its output and
 * exit.
 */
export type ServiceProcess = {
  /** URL of the service, such as `http://127.0.0.1:4321`, once it reports that it is ready. */
  readonly ready: Promise<string>
  readonly ended: Promise<Ended>
  readonly pid: number
  /** All its output so far. */
  output(): string
  signal(signal: NodeJS.Signals): void
  /** Sends the signal and waits for the exit. */
  stop(signal: NodeJS.Signals): Promise<Ended>
}

export type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string }

/**
 * Starts a process in `folder`, so that no developer's `.env` applies, on a free port unless `env` has one.
 * @param server entry file of another version.
 */
export function launchService(
  folder: string,
  env: Readonly<Record<string, string>>,
  server = bundledServer,
): ServiceProcess {
  const child = spawn(process.execPath, [server], {
    cwd: folder,
    env: {
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      PORT: '0',
      NODE_COMPILE_CACHE: compileCache,
      LOG_LEVEL: 'warn',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [stdout, stderr, output] = ['', '', '']
  const ended = once(child, 'close').then(([code]): Ended => ({ code, stdout, stderr }))
  const ready = new Promise<string>((resolve, reject) => {
    const read = (): void => {
      const url = /(?:Base URL +|ready at )(\S+)\/v1\n/.exec(output)?.[1]
      if (url !== undefined) resolve(url)
    }
    // Version 0.2.0 writes the message there.
    child.stdout.on('data', (chunk) => {
      stdout += chunk
      output += chunk
      read()
    })
    child.stderr.on('data', (chunk) => {
      output += chunk
      // The message is no complaint.
      if (!/The service is ready/.test(String(chunk))) stderr += chunk
      read()
    })
    void ended.then(({ code }) => reject(new Error(`ended with ${code}: ${stderr}`)))
  })
  ready.catch(() => undefined)
  return {
    ready,
    ended,
    pid: child.pid ?? 0,
    output: () => output,
    signal: (signal) => void child.kill(signal),
    stop(signal) {
      child.kill(signal)
      return ended
    },
  }
}
