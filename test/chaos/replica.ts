import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { bundledServer } from '../../build/bundle.ts'

/** The exit of one process of a replica. */
export type Exit = {
  readonly replica: string
  readonly at: number
  /** The signal from this harness; undefined: the process ended by itself. */
  readonly sent: NodeJS.Signals | undefined
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly wasReady: boolean
  /** Milliseconds from the signal to the exit. */
  readonly tookMs: number | undefined
  /** The end of its standard error. */
  readonly stderr: string
}

export type ReplicaState = 'down' | 'starting' | 'ready' | 'frozen' | 'stopping'

/** One replica: a process that is restarted whenever it ends. */
export type Replica = {
  readonly name: string
  readonly logFile: string
  state(): ReplicaState
  /** Port of the listener; undefined unless the process is ready or stopping. */
  port(): number | undefined
  /** @returns whether a process received the signal. */
  signal(signal: 'SIGKILL' | 'SIGTERM'): boolean
  /**
   * Suspends the process and resumes it after `ms`, or when aborted.
   * @returns whether there was a process.
   */
  freeze(ms: number, signal: AbortSignal): Promise<boolean>
  /**
   * Resolves when the replica is ready.
   * @throws Error after `ms`.
   */
  untilReady(ms: number): Promise<void>
  /** Ends it with SIGTERM and does not restart it. */
  stop(): Promise<void>
}

type Life = {
  readonly child: ChildProcess
  sent?: NodeJS.Signals
  sentAt?: number
  ready: boolean
  frozen: boolean
  stderr: string
}

/** Maximum time for a process to stop, above the limits of all phases. */
const maxStopMs = 90_000

export function startReplica(
  name: string,
  options: {
    /** A folder without `.env`; it also holds the logs. */
    readonly directory: string
    readonly env: Readonly<Record<string, string>>
    readonly restartDelayMs: () => number
    readonly onReady: (port: number) => void
    readonly onExit: (exit: Exit) => void
  },
): Replica {
  const logFile = path.join(options.directory, `${name}.log`)
  const log = createWriteStream(logFile, { flags: 'a' })
  let life: Life | undefined
  let port: number | undefined
  let ending = false
  let gone = Promise.withResolvers<void>()

  const launch = () => {
    const child = spawn(process.execPath, [bundledServer], {
      cwd: options.directory,
      env: {
        PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
        PORT: '0',
        ...options.env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const mine: Life = { child, ready: false, frozen: false, stderr: '' }
    life = mine
    gone = Promise.withResolvers<void>()
    let output = ''
    const read = (chunk: Buffer): void => {
      log.write(chunk)
      if (mine.ready) return
      output += chunk
      // The port is in the log line, because the message of readiness shows APP_URL instead.
      const found = /listening at http:\/\/127\.0\.0\.1:(\d+)"/.exec(output)?.[1]
      if (found === undefined || !output.includes('The service is ready at ')) return
      mine.ready = true
      port = Number(found)
      options.onReady(port)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', (chunk) => {
      read(chunk)
      mine.stderr = (mine.stderr + chunk).slice(-2_000)
    })
    child.once('close', (code, signal) => {
      options.onExit(exitOf(name, mine, code, signal))
      life = undefined
      port = undefined
      gone.resolve()
      if (!ending) setTimeout(() => !ending && launch(), options.restartDelayMs())
    })
  }
  launch()
  // Kills the child process however this process ends.
  process.once('exit', () => life?.child.kill('SIGKILL'))

  const state = (): ReplicaState => {
    if (!life) return 'down'
    if (life.sent) return 'stopping'
    if (life.frozen) return 'frozen'
    return life.ready ? 'ready' : 'starting'
  }
  const send = (signal: 'SIGKILL' | 'SIGTERM'): boolean => {
    if (!life) return false
    // A process that is stopping may still be killed; its exit then counts as a kill.
    life.sentAt ??= Date.now()
    life.sent = signal
    const { child } = life
    // The checker reports such a process as one that did not stop on SIGTERM.
    setTimeout(() => child.kill('SIGKILL'), maxStopMs).unref()
    return child.kill(signal)
  }
  return {
    name,
    logFile,
    state,
    port: () => port,
    signal: send,
    async freeze(ms, signal) {
      const frozen = life
      if (!frozen?.child.kill('SIGSTOP')) return false
      frozen.frozen = true
      await delay(ms, undefined, { signal }).catch(() => undefined)
      frozen.frozen = false
      frozen.child.kill('SIGCONT')
      return true
    },
    async untilReady(ms) {
      for (let waited = 0; state() !== 'ready'; waited += 50) {
        if (waited > ms) throw new Error(`${name} is not ready after ${ms} ms`)
        await delay(50)
      }
    },
    async stop() {
      ending = true
      if (life) {
        send('SIGTERM')
        await gone.promise
      }
      await new Promise<void>((resolve) => log.end(() => resolve()))
    },
  }
}

function exitOf(name: string, life: Life, code: number | null, signal: NodeJS.Signals | null): Exit {
  const at = Date.now()
  return {
    replica: name,
    at,
    sent: life.sent,
    code,
    signal,
    wasReady: life.ready,
    tookMs: life.sentAt === undefined ? undefined : at - life.sentAt,
    stderr: life.stderr,
  }
}
