import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/** A program that has said where it listens. */
export type ListeningProcess = {
  readonly child: ChildProcess
  /** Such as `http://127.0.0.1:4321`. */
  readonly url: string
  /** The end of what it has written. */
  output(): string
  hasEnded(): boolean
  /** Sends the signal, and SIGKILL to a process that does not end in time. */
  stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
}

/**
 * Starts a program of Node that says `ready at URL`, on whichever stream. It does not outlive this process.
 * @throws Error when it ends first, or says nothing for so long.
 */
export async function startListening(
  args: readonly string[],
  {
    cwd,
    env,
    timeoutMs,
    onMessage,
  }: {
    /** A folder without `.env`. */
    readonly cwd: string
    readonly env: Readonly<Record<string, string>>
    readonly timeoutMs: number
    /** Opens a channel for messages of `process.send`. */
    readonly onMessage?: (message: never) => void
  },
): Promise<ListeningProcess> {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', ...env },
    stdio: ['ignore', 'pipe', 'pipe', ...(onMessage ? (['ipc'] as const) : [])],
  })
  if (onMessage) child.on('message', onMessage as (message: unknown) => void)
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('close', () => process.off('exit', kill))
  let output = ''
  const url = await new Promise<string>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`${args.at(-1)} did not listen: ${output}`)), timeoutMs)
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => {
        output = (output + chunk).slice(-10_000)
        const found = /ready at (\S+)\/v1\n/.exec(output)?.[1]
        if (found === undefined) return
        clearTimeout(late)
        resolve(found)
      })
    child.once('close', (code) => reject(new Error(`${args.at(-1)} ended with ${code}: ${output}`)))
  })
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  return {
    child,
    url,
    output: () => output,
    hasEnded,
    async stop(signal) {
      if (hasEnded()) return
      const closed = once(child, 'close')
      child.kill(signal)
      const late = setTimeout(kill, timeoutMs)
      await closed
      clearTimeout(late)
    },
  }
}
