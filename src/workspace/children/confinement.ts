import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** The program and its packages. The whole folder is not readable, because it usually contains `.env` and `data`. */
const readable = ['package.json', 'dist/', 'src/', 'node_modules/']

/**
 * Node options for a child process that works on untrusted content. It can read the program and its packages, and
 * cannot write, start processes or open other files. The network needs `closed-network`.
 */
export const confinement: readonly string[] = [
  '--permission',
  ...readable.map((part) => `--allow-fs-read=${root}${part}`),
  '--no-warnings',
]
