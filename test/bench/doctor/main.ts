/** `npm run bench:doctor -- [--runs N]`: how long `doctor` takes on a database with N finished runs; default: 1,000,000. */
import { parseArgs } from 'node:util'
import { type Examination, examineAll, examineUnlessFresh } from '../../../src/billing/checks/examine.ts'
import type { Database } from '../../../src/db/client.ts'
import { connectAsSuperuser, withNewDatabase, withPostgres } from '../own-postgres.ts'
import { timed } from '../report.ts'
import { fillLedger } from './filled-ledger.ts'

const { values } = parseArgs({ options: { runs: { type: 'string', default: '1000000' } } })
const runs = Number(values.runs)
await withPostgres(['fsync=off'], (server) =>
  withNewDatabase(server.url, async (database) => {
    const admin = await connectAsSuperuser(server)
    const fill = { runs, accounts: 200, withEvents: Math.ceil(runs / 20) }
    await timed(`${runs} runs written`, () => fillLedger(admin, fill))
    await admin.end()
    await measure(database)
  }),
)

async function measure(database: Database): Promise<void> {
  const requireWhole = ({ broken, unchecked }: Examination) => {
    if (broken.length + unchecked.length > 0) throw new Error(JSON.stringify({ broken, unchecked }))
  }
  for (let round = 1; round <= 3; round += 1)
    await timed(`doctor, round ${round}`, async () => requireWhole(await examineAll(database)))
  await timed('check of the service', () => examineUnlessFresh(database, 0, requireWhole))
}
