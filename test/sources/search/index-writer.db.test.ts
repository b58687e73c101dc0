import { sql } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { withTx } from '../../../src/db/client.ts'
import { readIndexWatermark } from '../../../src/sources/index/index-watermark.ts'
import { createIndexWriter, type IndexWriter } from '../../../src/sources/index/index-writer.ts'
import { blockSize, packPosting, readPostings } from '../../../src/sources/index/postings.ts'
import { bucketOf } from '../../../src/sources/index/spelling-pairs.ts'
import { documentTerms, headingsOf } from '../../../src/sources/index/terms.ts'
import { checkLibrary } from '../../../src/sources/library/writing/check.ts'
import { lockLibrary, removeWork, storeWork } from '../../../src/sources/library/writing/library.ts'
import { ensureSearchIndex, finishIndex } from '../../../src/sources/library/writing/reindex.ts'
import { searchSources } from '../../../src/sources/search/search.ts'
import { skeletonOf } from '../../../src/sources/text/tokens.ts'
import { useEmptyLibrary } from '../../support/library-database.ts'

const db = useEmptyLibrary()

/** Stores a work of one word a passage and gives its words to the writer when that has committed. */
async function store(writer: IndexWriter, title: string, words: readonly string[]): Promise<void> {
  const refs = words.map((_, i) => `${title} ${i + 1}`)
  const stored = await withTx(db.database, 'system', async (tx) => {
    await lockLibrary(tx)
    return storeWork(tx, {
      work: { title, heTitle: '', author: '', categories: [] },
      // Each in a section of its own: neighbours would be shown as one.
      places: refs.map((ref) => ({ ref, heRef: '', sectionRef: ref })),
      versions: [
        {
          ...{ language: 'en', title: 'Only edition', license: 'CC0', sourceUrl: '', machineMade: false },
          texts: new Map(refs.map((ref, i) => [ref, words[i] ?? ''])),
        },
      ],
    })
  })
  writer.add(stored.parts)
}

const flush = (writer: IndexWriter) =>
  withTx(db.database, 'system', async (tx) => {
    await lockLibrary(tx)
    await writer.flush(tx)
  })

/** A writer after the flush of a work. */
async function imported(title: string, words: readonly string[]): Promise<IndexWriter> {
  const writer = createIndexWriter()
  await store(writer, title, words)
  await flush(writer)
  return writer
}

const found = async (text: string) =>
  (await searchSources(db.database.system, { text, limit: 10 })).map(({ ref }) => ref)

const waiting = async () => {
  const { indexedTo, nextDoc } = await readIndexWatermark(db.database.system)
  return nextDoc - indexedTo
}

const faults = async () => (await checkLibrary(db.database.system, 100)).faults

const startAt = (doc: number) =>
  db.database.system.execute(sql`insert into library_state (key, value) values ('next_doc', ${String(doc)})`)

/** How many documents the index has for a term. */
const documentsOf = async (term: string) =>
  (
    await db.database.system.execute<{ block: number; documents: number }>(
      sql`select block, documents from search_postings where term = ${term} order by block`,
    )
  ).rows

const longAgo = () =>
  db.database.system.execute(sql`update versions set imported_at = now() - interval '1 hour'`)

describe('the index of an import', () => {
  it('is written for several works together, and every word of them is found', async () => {
    const writer = createIndexWriter()
    await store(writer, 'First', ['orchard', 'lantern'])
    await store(writer, 'Second', ['lantern', 'compass'])
    expect(await waiting()).toBe(4)
    await flush(writer)
    expect(await waiting()).toBe(0)
    expect(await found('lantern')).toEqual(['First 2', 'Second 1'])
    expect(await faults()).toEqual([])
  })

  it('reads no row but those of its words in a block that the statistics lack', async () => {
    await db.database.system.execute(sql`
      insert into search_postings (term, block, documents, data)
      select 'other' || n, 5, 1, '\\x00000000'::bytea from generate_series(1, 30000) n`)
    await db.database.system.execute(sql`analyze search_postings`)
    const words = Array.from({ length: 300 }, (_, i) => `lantern${i}`)
    const writer = await imported('First', words)
    await store(writer, 'Second', words)
    const read = await withTx(db.database, 'system', async (tx) => {
      await lockLibrary(tx)
      await writer.flush(tx)
      const { rows } = await tx.execute<{ read: number }>(sql`
        select seq_tup_read::int as read from pg_stat_xact_user_tables where relname = 'search_postings'`)
      return rows[0]?.read
    })
    expect(read).toBe(0)
    expect((await found('lantern1')).slice(0, 2)).toEqual(['First 2', 'Second 2'])
  })

  it('goes over the end of a block', async () => {
    await startAt(blockSize - 1)
    await imported('First', ['orchard', 'orchard lantern', 'lantern'])
    expect(await documentsOf('lantern')).toEqual([{ block: 1, documents: 2 }])
    expect(await found('orchard')).toEqual(['First 1', 'First 2'])
    expect(await faults()).toEqual([])
  })

  it('is finished from the texts when the import was cut off, and not while it may still be at work', async () => {
    await store(createIndexWriter(), 'First', ['orchard', 'lantern'])
    expect(await finishIndex(db.database)).toBe(false)
    expect(await found('lantern')).toEqual([])
    await longAgo()
    expect((await faults()).map(({ rule }) => rule)).toEqual([
      'texts are brought into the index soon after they are stored',
    ])
    expect(await finishIndex(db.database)).toBe(true)
    expect(await found('lantern')).toEqual(['First 2'])
    expect(await finishIndex(db.database)).toBe(false)
    expect(await faults()).toEqual([])
  })

  it('has no word twice when another process finished it meanwhile', async () => {
    const writer = createIndexWriter()
    await store(writer, 'First', ['orchard'])
    await longAgo()
    await finishIndex(db.database)
    await store(writer, 'Second', ['orchard'])
    await flush(writer)
    expect(await documentsOf('orchard')).toMatchObject([{ documents: 2 }])
    expect(await found('orchard')).toEqual(['First 1', 'Second 1'])
  })

  it('has the words of two imports that take turns, each once', async () => {
    const [one, other] = [createIndexWriter(), createIndexWriter()]
    await store(one, 'First', ['orchard'])
    await store(other, 'Second', ['orchard'])
    await store(one, 'Third', ['orchard'])
    await flush(one)
    await flush(other)
    expect(await found('orchard')).toEqual(['First 1', 'Second 1', 'Third 1'])
    expect(await documentsOf('orchard')).toMatchObject([{ documents: 3 }])
  })

  it('loses a work that is removed before its words were written', async () => {
    const writer = createIndexWriter()
    await store(writer, 'First', ['orchard'])
    await store(writer, 'Second', ['lantern'])
    await withTx(db.database, 'system', async (tx) => {
      await lockLibrary(tx)
      await removeWork(tx, 'First')
    })
    await flush(writer)
    expect(await found('orchard')).toEqual([])
    expect(await found('lantern')).toEqual(['Second 1'])
    expect(await documentsOf('orchard')).toEqual([])
    expect(await faults()).toEqual([])
  })
})

describe('a work that is removed', () => {
  it('takes its passages and texts along, and leaves those of others', async () => {
    await store(createIndexWriter(), 'First', ['orchard', 'lantern'])
    await store(createIndexWriter(), 'Second', ['compass'])
    await withTx(db.database, 'system', (tx) => tx.execute(sql`delete from works where title = 'First'`))
    const left = await db.database.system.execute(
      sql`select p.ref, t.text from passages p full join passage_texts t on t.passage_id = p.id`,
    )
    expect(left.rows).toEqual([{ ref: 'Second 1', text: 'compass' }])
  })
})

describe('the spellings of terms', () => {
  const lines = async () => {
    const found = await db.database.system.execute<{ bucket: number; block: number; pairs: string }>(
      sql`select bucket, block, pairs from search_spelling_buckets order by block, bucket`,
    )
    return found.rows.flatMap(({ bucket, block, pairs }) =>
      pairs
        .trimEnd()
        .split('\n')
        .map((line) => ({ bucket, block, name: line.split('\t')[0] ?? '', term: line.split('\t')[1] ?? '' })),
    )
  }

  it('are stored once per block, whatever an import finds again', async () => {
    const writer = await imported('First', ['hasidut', 'מדותיו'])
    const before = await lines()
    expect(before.map(({ term }) => term)).toEqual(expect.arrayContaining(['hasidut', 'מדותיו']))
    await store(writer, 'Second', ['hasidut', 'מדותיו', 'nigunim'])
    await flush(writer)
    const added = ['nigunim', 'second']
    const known = (await lines()).filter(({ term }) => !added.includes(term))
    const pairs = (of: typeof known) => of.map(({ name, term }) => `${name} ${term}`).toSorted()
    expect(pairs(known)).toEqual(pairs(before))
  })

  it('are stored once for all blocks that a writer fills, and found in each', async () => {
    await startAt(blockSize - 1)
    await imported('First', ['nigunim kelbakhot', 'kelbakhot', 'kelbachos'])
    const stored = await lines()
    const blocksOf = (start: string) =>
      new Set(stored.flatMap(({ term, block }) => (term.startsWith(start) ? [block] : [])))
    expect(blocksOf('kelbakh')).toEqual(new Set([0]))
    expect(blocksOf('kelbach')).toEqual(new Set([1]))
    expect((await found('keilbbakhoth')).toSorted()).toEqual(['First 1', 'First 2', 'First 3'])
  })

  it('are stored again by a writer that goes on after the index was rebuilt', async () => {
    const writer = await imported('First', ['kelbakhot'])
    await withTx(db.database, 'system', (tx) => tx.execute(sql`delete from works where title = 'First'`))
    await ensureSearchIndex(db.database, { force: true })
    await store(writer, 'Second', ['kelbakhot'])
    await flush(writer)
    expect(await found('keilbbakhoth')).toEqual(['Second 1'])
  })

  it('are stored again by a writer whose last flush failed', async () => {
    const writer = createIndexWriter()
    await store(writer, 'First', ['kelbakhot'])
    const failed = withTx(db.database, 'system', async (tx) => {
      await writer.flush(tx)
      throw new Error('the connection was lost')
    })
    await expect(failed).rejects.toThrow('the connection was lost')
    await store(writer, 'Second', ['kelbakhot'])
    await flush(writer)
    expect((await found('keilbbakhoth')).toSorted()).toEqual(['First 1', 'Second 1'])
  })

  it('lie in the bucket that the database computes for their class', async () => {
    await imported('First', ['hasidut', 'מדותיו', 'unbelievablylongwordsdooccur', '𝔘𝔫𝔦𝔠𝔬𝔡𝔢'])
    const stored = await lines()
    const names = [...stored.map(({ name }) => name), 'a', '𐀀𐀁b', '~מדה', 'x'.repeat(40)]
    const computed = await db.database.system.execute<{ bucket: number }>(
      sql`select spelling_bucket(name) as bucket from unnest(${sql.param(names)}::text[]) with ordinality as t (name, n) order by n`,
    )
    const buckets = computed.rows.map(({ bucket }) => bucket)
    expect(buckets.slice(0, stored.length)).toEqual(stored.map(({ bucket }) => bucket))
    expect(buckets).toEqual(names.map(bucketOf))
  })

  it('written by a replica of the version before are found too', async () => {
    await imported('First', ['kelbakhot'])
    await db.database.system.execute(sql`delete from search_spelling_buckets`)
    expect(await found('keilbbakhoth')).toEqual([])
    await db.database.system.execute(sql`
      insert into search_spellings (skeleton, term) values (${skeletonOf('kelbakhot') ?? ''}, 'kelbakhot')`)
    expect(await found('keilbbakhoth')).toEqual(['First 1'])
  })
})

describe('a flush of whole blocks', () => {
  const flushBlocks = (writer: IndexWriter) =>
    withTx(db.database, 'system', (tx) => writer.flush(tx, { wholeBlocks: true }))

  it('writes what ends with the block, and keeps the rest for the next flush', async () => {
    await startAt(blockSize - 2)
    const writer = createIndexWriter()
    await store(writer, 'First', ['orchard'])
    expect(writer.isFull).toBe(false)
    await store(writer, 'Second', ['orchard lantern', 'lantern compass', 'compass orchard'])
    expect(writer.isFull).toBe(true)
    await flushBlocks(writer)
    expect(await waiting()).toBe(2)
    expect(writer.isFull).toBe(false)
    expect(await found('lantern')).toEqual(['Second 1'])
    await store(writer, 'Third', ['lantern'])
    await flush(writer)
    expect((await found('lantern')).toSorted()).toEqual(['Second 1', 'Second 2', 'Third 1'])
    expect(await waiting()).toBe(0)
    expect(await faults()).toEqual([])
  })

  it('does not hold up works that are stored meanwhile', async () => {
    const writer = createIndexWriter()
    await store(writer, 'First', ['orchard'])
    await withTx(db.database, 'system', async (tx) => {
      await writer.flush(tx)
      await store(writer, 'Second', ['lantern'])
    })
    expect(await found('orchard')).toEqual(['First 1'])
    await flush(writer)
    expect(await found('lantern')).toEqual(['Second 1'])
    expect(await faults()).toEqual([])
  })
})

describe('the index', () => {
  it('has exactly the postings of the plain reference', async () => {
    await startAt(blockSize - 20)
    const writer = createIndexWriter()
    const words = 'garments of the soul|הבעש"ט אמר|עץ חיים|light upon light|G-d is one|נפש האלהית'.split('|')
    for (let work = 1; work <= 6; work += 1) {
      const texts = Array.from({ length: 9 }, (_, i) => `${words[(i * work) % 6]} ${words[(i + work) % 6]}`)
      await store(writer, `Work ${work}`, texts)
      if (writer.isFull) await withTx(db.database, 'system', (tx) => writer.flush(tx, { wholeBlocks: true }))
      if (work === 2) await flush(writer)
    }
    await flush(writer)
    const stored = await db.database.system.execute<{ term: string; block: number; data: Buffer }>(
      sql`select term, block, data from search_postings`,
    )
    const postings = stored.rows.flatMap(({ term, block, data }) =>
      [...readPostings(data)].map((posting) => `${term} ${block} ${posting}`),
    )
    const texts = await db.database.system.execute<{ doc_id: number; text: string; ref: string }>(
      sql`select t.doc_id, t.text, p.ref from passage_texts t join passages p on p.id = t.passage_id`,
    )
    const expected = texts.rows.flatMap(({ doc_id, text, ref }) => {
      const { frequencies, length } = documentTerms(text, headingsOf({ ref, heRef: '' }))
      return [...frequencies].map(
        ([term, count]) =>
          `${term} ${Math.floor(doc_id / blockSize)} ${packPosting(doc_id % blockSize, count, length)}`,
      )
    })
    expect(postings.toSorted()).toEqual(expected.toSorted())
  })
})
