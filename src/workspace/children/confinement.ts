import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** The program and its packages. Not the whole folder: `.env` and `data` are in it as a rule. */
const readable = ['package.json', 'src/', 'node_modules/']

/**
 * Options of Node for a child process that works on what others wrote. It may read the program and its packages, and
 * write, start and open nothing else. They do not cover the network, see `closed-network`.
 */
export const confinement: readonly string[] = [
  '--permission',
  ...readable.map((part) => `--allow-fs-read=${root}${part}`),
  '--no-warnings',
]
