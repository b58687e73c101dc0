import { describe, expect, test } from 'vitest'
import { findWorkTitles } from '../../../src/sources/refs/in-text/works-in-text.ts'
import { useLibrary } from '../../support/library-lines.ts'

const line = (work: string, he: string, categories: readonly string[]) => ({
  work,
  he_title: he,
  category: categories,
  license: 'CC0',
  ref: `${work} 1:1`,
  en: 'A text.',
})

const db = useLibrary([
  line('Tanya', 'תניא', ['Chasidut']),
  line('Torah Ohr', 'תורה אור', ['Chasidut']),
  line('Esther', 'אסתר', ['Tanakh']),
  line('The Gate', 'השער', ['Chasidut']),
])

const titles = async (text: string, cited: readonly string[] = []) =>
  (await findWorkTitles(db.database.system, text, new Set(cited))).map(({ written, work }) => [written, work])

describe('titles of works without a number', () => {
  test('are found with their range', async () => {
    const text = 'The Tanya’s words, and Torah Ohr’s.'
    const found = await findWorkTitles(db.database.system, text)
    expect(found.map(({ work }) => work)).toEqual(['Tanya', 'Torah Ohr'])
    for (const { start, end, written } of found) expect(text.slice(start, end)).toBe(written)
  })

  test.each([
    'a gate is a gate, and the gate is narrow',
    'torah ohr',
    'https://example.org/Tanya and Tanya@example.org',
    'Tanyas of all kinds',
    'Esther went to the king',
    'לפי אסתר',
    'תניא כוותיה, ותורה אור',
  ])('are not seen in %j', async (text) => {
    expect(await titles(text)).toEqual([])
  })

  test.each([
    ['the Book of Esther', 'Esther'],
    ['in *Esther* we read', 'Esther'],
    ['Sefer Tanya', 'Tanya'],
    ['כתוב בספר התניא', 'Tanya'],
    ['ב"תורה אור" נאמר', 'Torah Ohr'],
    ['ב״תניא״', 'Tanya'],
  ])('that may be other words are seen where %j marks them', async (text, work) => {
    expect((await titles(text)).map(([, found]) => found)).toEqual([work])
  })

  test('in Hebrew are seen without a mark if the text cites the work', async () => {
    expect(await titles('כך מבואר בתניא ובתורה אור', ['Tanya'])).toEqual([['תניא', 'Tanya']])
  })
})
