import { invalidValue } from '../errors.ts'
import { checkLibrary } from '../sources/library/writing/check.ts'
import type { Command } from './command.ts'

export const checkCommands: Readonly<Record<string, Command>> = {
  'sources check': {
    usage: '[--sample N]',
    summary: 'checks that the library and its index are complete; otherwise exits with 1 and prints the rows',
    options: { sample: { type: 'string' } },
    run: async ({ installation, text }) => {
      const sample = Number(text('sample') ?? 1_000)
      if (!Number.isInteger(sample) || sample < 1) {
        throw invalidValue('--sample takes a whole number above 0.')
      }
      const rows = await checkLibrary(installation.library.system, sample)
      const summary =
        `${rows.works} works, ${rows.versions} versions, ${rows.passages} passages, ${rows.texts} texts, ` +
        `${rows.links} links; ${rows.compared} texts compared with the index`
      const lines = rows.faults.flatMap(({ rule, rows: broken }) => [
        `BROKEN: ${rule}`,
        ...broken.map((row) => `    ${JSON.stringify(row)}`),
      ])
      const verdict = rows.faults.length === 0 ? ['The library is whole.'] : lines
      return { rows, lines: [summary, ...verdict], exitCode: rows.faults.length === 0 ? 0 : 1 }
    },
  },
}
