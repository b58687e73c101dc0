import { withTx } from '../db/client.ts'
import { notFound } from '../errors.ts'
import { explainRun } from '../turns/read/explain.ts'
import { readRun } from '../turns/run/runs.ts'
import type { Command } from './command.ts'

export const runCommands: Readonly<Record<string, Command>> = {
  'runs explain': {
    usage: 'RUN',
    summary: 'tells why a run was admitted, what it held and paid, and which attempts and models took part',
    run: ({ installation, words: [id = ''] }) =>
      withTx(installation.database, 'system', async (tx) => {
        const run = await readRun(tx, id)
        if (!run) throw notFound('RUN')
        const lines = await explainRun(tx, run)
        return { rows: { run: id, explanation: lines }, lines }
      }),
  },
}
