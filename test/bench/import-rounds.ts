/**
 * The two imports of `import.ts`, in a process of their own. Arguments: the database, the folder, the segments. It sends
 * the segments per second of the first import to its parent.
 */
import path from 'node:path'
import { openDatabase } from '../../src/db/client.ts'
import { openFolder } from '../../src/sources/importers/sefaria/folder.ts'
import { importExport } from '../../src/sources/importers/sefaria/import-export.ts'
import { reportLines } from '../../src/sources/importers/sefaria/report.ts'
import { cpuSince, readCpuTimes } from './cpu-times.ts'
import { loadNow, print } from './report.ts'

const [url = '', directory = '', segments = '0'] = process.argv.slice(2)
const count = Number(segments)

const database = openDatabase({ url, onIdleError: () => undefined })
for (const what of ['import', 'unchanged import']) {
  const source = await openFolder(path.join(directory, 'export'))
  const [before, start] = [await readCpuTimes(directory), performance.now()]
  const report = await importExport(database, source, { titles: [], categories: [], allowLicenses: [] })
  const seconds = (performance.now() - start) / 1_000
  const cpu = cpuSince(before, await readCpuTimes(directory))
  const each = (time: number) => ((time / count) * 1_000_000).toFixed(1)
  if (what === 'import') process.send?.(count / seconds)
  print(reportLines(report).join('\n'))
  print(
    `${what}: ${Math.round(count / seconds)} segments/s at load ${loadNow()}; processor time per 1,000: ` +
      `${each(cpu.main + cpu.threads + cpu.postgres)} ms (main ${each(cpu.main)}, threads ${each(cpu.threads)}, ` +
      `Postgres ${each(cpu.postgres)}); peak memory ${Math.round(process.resourceUsage().maxRSS / 1024)} MB`,
  )
}
await database.close()
