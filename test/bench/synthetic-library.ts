import { type Database, withTx } from '../../src/db/client.ts'
import { createIndexWriter, type IndexWriter } from '../../src/sources/index/index-writer.ts'
import type { PassageRef } from '../../src/sources/index/passage-ref.ts'
import type { IndexPart } from '../../src/sources/index/posting-rows.ts'
import { lockLibrary, storeWork } from '../../src/sources/library/writing/library.ts'
import { type SyntheticOptions, type SyntheticPassage, syntheticPassages } from './synthetic-corpus.ts'

const passagesPerWork = 10_000
const passagesPerSection = 12

export function syntheticRef(index: number): string {
  const within = index % passagesPerWork
  const section = Math.floor(within / passagesPerSection) + 1
  return `Synthetic Work ${Math.floor(index / passagesPerWork) + 1} ${section}:${(within % passagesPerSection) + 1}`
}

/** Writes a synthetic library of the wanted size through the importers' own functions, a work a transaction. */
export async function buildLibrary(database: Database, options: SyntheticOptions): Promise<void> {
  const index = createIndexWriter()
  let held: SyntheticPassage[] = []
  for (const passage of syntheticPassages(options)) {
    held.push(passage)
    if (held.length < passagesPerWork) continue
    index.add(await storePassages(database, held))
    held = []
    if (index.isFull) await flush(database, index)
  }
  if (held.length > 0) index.add(await storePassages(database, held))
  await flush(database, index)
}

function flush(database: Database, index: IndexWriter): Promise<void> {
  return withTx(database, 'system', async (tx) => {
    await lockLibrary(tx)
    await index.flush(tx)
  })
}

async function storePassages(
  database: Database,
  held: readonly SyntheticPassage[],
): Promise<readonly IndexPart[]> {
  const number = Math.floor((held[0]?.index ?? 0) / passagesPerWork) + 1
  const places: PassageRef[] = held.map(({ index }) => {
    const ref = syntheticRef(index)
    return { ref, heRef: '', sectionRef: ref.slice(0, ref.lastIndexOf(':')) }
  })
  const textsIn = (language: 'he' | 'en') =>
    new Map(held.filter((p) => p.language === language).map((p) => [syntheticRef(p.index), p.text]))
  return withTx(database, 'system', async (tx) => {
    await lockLibrary(tx)
    const stored = await storeWork(tx, {
      work: {
        title: `Synthetic Work ${number}`,
        heTitle: '',
        author: `Author ${number % 20}`,
        categories: ['Synthetic'],
      },
      places,
      versions: (['he', 'en'] as const).map((language) => ({
        language,
        title: 'Synthetic',
        license: 'CC0',
        sourceUrl: '',
        machineMade: false,
        texts: textsIn(language),
      })),
    })
    return stored.parts
  })
}
