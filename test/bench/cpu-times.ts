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

/** The server of the Postgres under `dataDir` and its children, each with the fields of its `stat` after the name. */
export async function postgresProcesses(dataDir: string) {
  const lines = (await readFile(path.join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')
  const server = Number(lines[0])
  const all = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  const read = all.map(async (pid) => {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { pid, fields: fields.map(Number), isServer: Number(pid) === server }
  })
  return (await Promise.all(read)).filter(({ fields, isServer }) => isServer || fields[1] === server)
}

async function postgresSeconds(dataDir: string): Promise<number> {
  let ticks = 0
  for (const { fields, isServer } of await postgresProcesses(dataDir)) {
    // The 12th to 15th are the times of the process and of its ended children, which the server alone has.
    const [own = 0, kernel = 0, children = 0, childrenKernel = 0] = fields.slice(11, 15)
    ticks += own + kernel + (isServer ? children + childrenKernel : 0)
  }
  return ticks / ticksPerSecond
}
