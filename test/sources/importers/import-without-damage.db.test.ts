import { afterEach, describe, expect, it } from 'vitest'
import { createSourceMarks } from '../../../src/sources/citations/source-marks.ts'
import { linksFrom } from '../../../src/sources/library/links.ts'
import { readPassage } from '../../../src/sources/library/passages.ts'
import { readPage } from '../../../src/sources/library/reading-page.ts'
import type { Passage } from '../../../src/sources/library/types.ts'
import { checkLibrary } from '../../../src/sources/library/writing/check.ts'
import { searchSources } from '../../../src/sources/search/search.ts'
import { useDatabase } from '../../support/database.ts'
import { importLines } from '../../support/library-lines.ts'

const db = useDatabase()
afterEach(async () => {
  expect((await checkLibrary(db.database.system, 1_000)).faults).toEqual([])
})

const load = (lines: readonly object[]) => importLines(db.database, lines)

async function read(ref: string): Promise<readonly Passage[]> {
  const found = await readPassage(db.database.system, ref, {})
  return 'passages' in found ? found.passages : []
}

const refsAt = async (ref: string) => (await read(ref)).map((passage) => passage.ref)

/** A text of as many sentences, 30 words each, in made-up words. */
const sentences = (count: number, word: string) =>
  Array.from({ length: count }, (_, i) => `${`${word} `.repeat(29)}${word}${i}.`).join(' ')

describe('editions that divide a text otherwise', () => {
  it('never share a ref, and their sections stay in one piece each', async () => {
    await load([
      { work: 'Well', ref: 'Well 1', he_ref: 'באר פרק א', he: sentences(12, 'מים') },
      { work: 'Well', ref: 'Well 2', he_ref: 'באר פרק ב', he: sentences(8, 'דלי') },
    ])
    await load([
      { work: 'Well', ref: 'Well 1:1', en: 'Water.' },
      { work: 'Well', ref: 'Well 1:2', en: 'More water.' },
      { work: 'Well', ref: 'Well 2:1', en: 'A bucket.' },
    ])
    expect(await refsAt('Well 1')).toEqual(['Well 1 §1', 'Well 1 §2', 'Well 1 §3', 'Well 1:1', 'Well 1:2'])
    expect(await refsAt('Well 2')).toEqual(['Well 2 §1', 'Well 2 §2', 'Well 2:1'])
    expect((await read('Well 1:2')).map(({ language }) => language)).toEqual(['en'])
    const page = await readPage(db.database.system, 'Well 1 §2', new AbortController().signal)
    expect(page).toMatchObject({ section: 'Well 1', asked: 'Well 1 §2', next: 'Well 2' })
  })

  it('are cut where the first was, when both are cut by the import', async () => {
    await load([{ work: 'Cut', ref: 'Cut 1', he: sentences(12, 'מלה'), version_he: 'First' }])
    await load([{ work: 'Cut', ref: 'Cut 1', he: sentences(24, 'תבה'), version_he: 'Second' }])
    const both = await read('Cut 1')
    expect(new Set(both.map(({ ref }) => ref)).size).toBe(3)
    expect(both).toHaveLength(6)
  })

  it('are cut by their own length when the first is replaced', async () => {
    await load([{ work: 'Redone', ref: 'Redone 1', en: sentences(12, 'old') }])
    await load([{ work: 'Redone', ref: 'Redone 1', en: sentences(20, 'new') }])
    expect(await refsAt('Redone 1')).toHaveLength(5)
  })
})

describe('a piece of a text', () => {
  it('has Hebrew numerals only in its Hebrew ref, and is found by it', async () => {
    await load([{ work: 'Spring', ref: 'Spring 12', he_ref: 'מעין, פרק יב', he: sentences(12, 'מים') }])
    const pieces = await read('Spring 12')
    expect(pieces.map(({ heRef }) => heRef)).toEqual(['א', 'ב', 'ג'].map((n) => `מעין, פרק יב §${n}`))
    for (const { ref, heRef } of pieces) expect(await refsAt(heRef)).toEqual([ref])
  })

  it('is found by the refs that it had before 0.2.0', async () => {
    await load([
      { work: 'Brook', ref: 'Brook 3', en: sentences(8, 'water') },
      { work: 'Brook, Afterword', ref: 'Brook, Afterword', en: sentences(8, 'stone') },
    ])
    expect(await refsAt('Brook 3:2')).toEqual(['Brook 3 §2'])
    expect(await refsAt('Brook 3:1-2')).toEqual(['Brook 3 §1', 'Brook 3 §2'])
    expect(await refsAt('Brook, Afterword:2')).toEqual(['Brook, Afterword §2'])
  })

  it('points to what its text points to', async () => {
    await load([{ work: 'Pointer', ref: 'Pointer 1', en: sentences(8, 'water'), refs: ['Genesis 1:1'] }])
    const links = await linksFrom(db.database.system, ['Pointer 1 §2'])
    expect([...links]).toEqual([['Pointer 1 §2', ['Genesis 1:1']]])
  })

  it('that another line has as its ref is an error that names refs of the file', async () => {
    const lines = [
      { work: 'Clash', ref: 'Clash 1', en: sentences(8, 'water') },
      { work: 'Clash', ref: 'Clash 1 §2', en: 'stone' },
    ]
    await expect(load(lines)).rejects.toThrow(/Line 1 .*"Clash 1 §2" stands in another line/)
    expect(await refsAt('Clash 1')).toEqual([])
  })
})

describe('where a text comes from', () => {
  const lines = ['https://one.example/a', 'https://two.example/b', '']
  it.each([
    ['its own line, not the first of its version', lines, lines],
    ['a template', ['https://texts.example/{ref}?lang=en'], ['https://texts.example/Sites.1.1?lang=en']],
    ['its own place at Sefaria', ['https://www.sefaria.org/Sites'], ['https://www.sefaria.org/Sites.1.1']],
  ])('is %s', async (_, written, urls) => {
    const texts = written.map((source_url, i) => ({ ref: `Sites 1:${i + 1}`, en: `${i}`, source_url }))
    await load(
      texts.map(({ source_url, ...text }) => ({ work: 'Sites', ...text, ...(source_url && { source_url }) })),
    )
    expect((await read('Sites')).map(({ url }) => url)).toEqual(urls)
  })

  it('is this service’s reader in an answer when the import named nothing', () => {
    const none = { heRef: '', language: 'he', version: '', license: 'own', url: '', text: 'מים' }
    const marks = createSourceMarks([], 'https://chat.example')
    const { url } = marks.offer({ ref: 'Spring 12 §1', title: 'Spring', work: 'Spring', ...none })
    expect(url).toBe('https://chat.example/library/read/Spring%2012%20%C2%A71')
  })

  it('that is no web address is an error that names the field', async () => {
    const line = { work: 'Bad', ref: 'Bad 1', en: 'one', source_url: 'javascript:alert(1)' }
    await expect(load([line])).rejects.toThrow(/Line 1 .*"source_url": must be an address/)
  })
})

it('a line is freed from markup, its footnotes apart, and one of nothing but markup is an error', async () => {
  const en = 'The <b>lamp</b> &amp; oil<br>burn<i class="footnote">A note.</i>.'
  await load([{ work: 'Marked', ref: 'Marked 1', en }])
  expect((await read('Marked 1'))[0]?.text).toBe('The lamp & oil\nburn.')
  await expect(load([{ work: 'Empty', ref: 'Empty 1', he: '<br>' }])).rejects.toThrow(/"he" and "en"/)
})

describe('facts that an import changes', () => {
  it('are in the index of every edition: a Hebrew heading', async () => {
    const line = { work: 'Named', ref: 'Named 1', he_ref: 'ישנית א' }
    await load([{ ...line, he: 'אבן', version_he: 'First' }])
    await load([{ ...line, he_ref: 'מחודשת א', he: 'סלע', version_he: 'Second' }])
    const hits = await searchSources(db.database.system, { text: 'מחודשת אבן', limit: 5 })
    expect(hits[0]).toMatchObject({ ref: 'Named 1' })
    expect(await searchSources(db.database.system, { text: 'ישנית', limit: 5 })).toEqual([])
  })

  it('lead to the work though its texts stay: a Hebrew title', async () => {
    const line = { work: 'Retitled', ref: 'Retitled 1', en: 'stone' }
    await load([{ ...line, he_title: 'קודם' }])
    expect(await load([{ ...line, he_title: 'מאוחר' }])).toMatchObject({ unchanged: 1 })
    expect(await refsAt('מאוחר א')).toEqual(['Retitled 1'])
  })
})
