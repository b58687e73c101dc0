import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { bundledCommand } from '../../build/bundle.ts'
import { compileCache } from '../support/service-process.ts'
import { pepperText } from '../support/world/accounts.ts'
import type { ProcessWorld } from '../support/world/world.ts'

export type CommandProcess = {
  /** Resolves when standard error has these words. */
  said(words: string): Promise<void>
  signal(signal: NodeJS.Signals): void
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>
}

/** The command line in a process of its own, on the world's database and model. */
export function launchCommand(
  world: Pick<ProcessWorld, 'db' | 'upstream'>,
  folder: string,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): CommandProcess {
  const child = spawn(process.execPath, [bundledCommand, ...words], {
    env: {
      PATH: '/usr/bin:/bin',
      NODE_COMPILE_CACHE: compileCache,
      DATABASE_URL: world.db.url,
      KEY_PEPPER: pepperText,
      DATA_DIR: folder,
      MODEL_BASE_URL: world.upstream.baseUrl,
      MODEL_NAME: 'scripted',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [stdout, stderr] = ['', '']
  let heard = Promise.withResolvers<void>()
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
    heard.resolve()
    heard = Promise.withResolvers()
  })
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, stdout, stderr }))
  void ended.then(() => heard.resolve())
  return {
    async said(words) {
      while (!stderr.includes(words)) {
        if (child.exitCode !== null) throw new Error(`it ended without saying ${words}: ${stderr}`)
        await heard.promise
      }
    },
    signal: (signal) => void child.kill(signal),
    ended,
  }
}
