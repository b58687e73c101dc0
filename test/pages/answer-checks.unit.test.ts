import { expect, test } from 'vitest'
import type { RunEnd } from '../../src/turns/run/run-events.ts'
import { renderMarkdown } from '../../src/web/markdown/markdown.ts'
import { checkResult, checksOf, quotationMarks } from '../../src/web/pages/ask/answer-checks.ts'
import { sourceList } from '../../src/web/pages/ask/source-views.ts'
import { textsIn } from '../../src/web/texts/catalogue.ts'

const t = textsIn('en')
const check = (quote: string, position?: number, result = 'verbatim') => ({
  quote,
  result,
  ...(position && { position }),
})
const endWith = (first: object[], second: object[], quotations: object[]) =>
  ({
    sources: [
      { ref: 'Gate 1:1', url: '', verification: first },
      { ref: 'Gate 2:1', url: '', verification: second },
      { ref: 'Gate 3:1', url: '', verification: [{ result: 'paraphrase' }] },
    ],
    quotations,
  }) as unknown as RunEnd

test('quotations are listed in the order of the answer, not by source', () => {
  const end = endWith([check('one', 1), check('four', 4)], [check('three', 3)], [check('two', 2)])
  const checks = checksOf('run', end)
  expect(checks.map(({ quote, ref }) => [quote, ref])).toEqual([
    ['one', 'Gate 1:1'],
    ['two', undefined],
    ['three', 'Gate 2:1'],
    ['four', 'Gate 1:1'],
  ])
  const list = `${checkResult(t, { question: [], answer: checks }, (ref) => ref)}`
  expect([...list.matchAll(/<q dir="auto">(\w+)</g)].map(([, quote]) => quote)).toEqual([
    'one',
    'two',
    'three',
    'four',
  ])
})

test('quotations of an answer that an earlier version logged are listed by source', () => {
  const end = endWith([check('one'), check('four')], [check('three')], [check('two')])
  expect(checksOf('run', end).map(({ quote }) => quote)).toEqual(['one', 'four', 'three', 'two'])
})

test('the same words quoted twice keep their own results', () => {
  const words = 'the moon was full of fishes'
  const end = endWith([check(words, 2)], [], [check(words, 1, 'not_found')])
  const quotations = quotationMarks(t, checksOf('run', end), (ref) => ref)
  const html = `${renderMarkdown(`He says “${words}”. The book says “${words}” [1].`, { quotations })}`
  expect([...html.matchAll(/class="quoted (\w+)"/g)].map(([, kind]) => kind)).toEqual([
    'not_found',
    'verbatim',
  ])
})

test('a file that is named like a ref is shown as a file, and never linked to the library', () => {
  const url = 'https://chat.example/v1/files/file-1/content?version=1'
  const named = {
    ref: 'Tanya 1:1, paragraph 1',
    n: 1,
    work: 'Tanya 1:1',
    title: 'Tanya 1:1',
    he_ref: '',
    url,
  }
  const text = 'Whoever counts his deeds on the road arrives late.'
  const file = {
    ...named,
    language: 'en',
    version: 'Version 1',
    license: 'own',
    text,
    verification: [check(text, 1)],
  }
  const end = { sources: [file], quotations: [{ ...check('late', 2), ref: file.ref }] } as unknown as RunEnd
  const passages = new Map([[file.ref, [{ ...file, text: 'Of the library.' }]]]) as never
  const run = { id: 'run_1', sessionId: 's', turn: 1 }
  const facts = { passages, refsIn: new Map() }
  const list = `${sourceList(t, run, end.sources, facts, { label: 'Sources', isOwn: false })}`
  const summary = `${checkResult(t, { question: [], answer: checksOf('run', end) }, (ref) => ref)}`
  expect(list).toContain('<span class="badge">file</span>')
  expect(summary.match(/\(file\)/g)).toHaveLength(2)
  for (const shown of [list, summary]) expect(shown).not.toMatch(/library\/read|Of the library/)
})
