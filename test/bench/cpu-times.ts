import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'

/** Processor time in seconds. */
export type CpuTimes = {
  readonly main: number
  /** All other threads of this process. */
  readonly threads: number
  /** The Postgres server with its processes; 0 where there is no `/proc`. */
  readonly postgres: number
}

const ticksPerSecond = 100

/** Reads what this process and the embedded Postgres under `dataDir` have used so far. */
export async function readCpuTimes(dataDir: string): Promise<CpuTimes> {
  const seconds = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1_000_000
  const main = seconds(process.threadCpuUsage())
  return { main, threads: seconds(process.cpuUsage()) - main, postgres: await postgresSeconds(dataDir) }
}

export function cpuSince(before: CpuTimes, after: CpuTimes): CpuTimes {
  return {
    main: after.main - before.main,
    threads: after.threads - before.threads,
    postgres: after.postgres - before.postgres,
  }
}

async function postgresSeconds(dataDir: string): Promise<number> {
  const lines = (await readFile(path.join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')
  const server = Number(lines[0])
  let ticks = 0
  for (const name of await readdir('/proc').catch(() => [])) {
    const stat = /^\d+$/.test(name) ? await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '') : ''
    // Fields after the name: state, parent, …; the 12th to 15th are the times of the process and of its ended children.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [own = 0, kernel = 0, children = 0, childrenKernel = 0] = fields.slice(11, 15)
    if (Number(name) === server) ticks += own + kernel + children + childrenKernel
    else if (fields[1] === server) ticks += own + kernel
  }
  return ticks / ticksPerSecond
}
