import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { textsOutsideCatalogue } from '../../../build/pages/texts.ts'
import { textsIn } from '../../../src/web/texts/catalogue.ts'
import { acceptedLanguage } from '../../../src/web/visitors/preferences.ts'
import { wordsOfLatin } from './latin-words.ts'

const he = textsIn('he')

/** Every text of a catalogue by its path; functions are called with a number for each parameter. */
function textsOf(value: unknown, at: string): readonly (readonly [string, string])[] {
  if (typeof value === 'function') return textsOf((value as (...a: unknown[]) => unknown)(7, 7, 7, 7), at)
  if (typeof value === 'string' || value instanceof String) return [[at, String(value)]]
  return Object.entries(value as object).flatMap(([name, inner]) => textsOf(inner, `${at}.${name}`))
}

describe('the catalogue of texts', () => {
  test('the Hebrew texts have no English words beyond names and code', () => {
    const { frame, common, errors, account, keys, usage, projects, files, runs, operator } = he
    const { ask, answers, sharing } = he
    const own = { frame, common, errors, account, keys, usage, projects, files, runs, operator }
    const groups = { ...own, ask, answers, sharing }
    const english = textsOf(groups, 'he').filter(
      ([at, text]) => !at.startsWith('he.frame.otherLanguage') && wordsOfLatin(text).length > 0,
    )
    expect(english.map(([at, text]) => [at, wordsOfLatin(text)])).toEqual([])
  })

  test('Hebrew quotations have one sign on both sides, as a mark with a side would turn', async () => {
    const folder = path.join(import.meta.dirname, '../../../src/web/texts/he')
    const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts'))
    const texts = await Promise.all(names.map((name) => readFile(path.join(folder, name), 'utf8')))
    expect(names.filter((_, at) => texts[at]?.includes('“'))).toEqual([])
  })

  test('numbers, sizes and dates follow the language', () => {
    const day = new Date('2026-11-23T10:00:00Z')
    expect(String(he.day(day))).toContain('23 בנוב׳ 2026')
    expect(he.bytes(12_900_000)).toBe('\u206812.3 MB\u2069')
    expect(he.common.passages(2)).toBe('שני קטעים')
    expect(he.common.passages(1_234)).toBe('1,234 קטעים')
    expect(textsIn('en').common.passages(1)).toBe('1 passage')
  })
})

describe('messages of other parts of the service', () => {
  test('a message with values keeps them in Hebrew', () => {
    const message = 'An account for a@example.org exists already. Use another address.'
    expect(he.translate(message)).toBe('כבר יש חשבון לכתובת a@example.org. אפשר להשתמש בכתובת אחרת.')
    const unreachable =
      "Sefaria's export could not be reached at https://example.org: no answer within 3.5 s."
    expect(he.translate(unreachable)).toMatch(/https:\/\/example\.org: לא הייתה תשובה בתוך 3\.5 שניות\.$/)
    expect(he.translate('licence "CC-BY-NC" is not allowed: add --allow-license cc-by-nc')).toBe(
      'הרישיון ”CC-BY-NC” לא אושר',
    )
    expect(he.translate('The library has no work "Nothing". The nearest names: The Gate | Oil.')).toBe(
      'אין בספרייה ספר בשם ”Nothing”. השמות הקרובים: The Gate | Oil.',
    )
    expect(he.translate('No such sentence.')).toBe('No such sentence.')
    for (const sentence of [
      'The limit of 60 searches per minute from your address is reached. Try again in 5 s.',
      'The form may have at most 200 fields.',
      '`purpose`: at most 10,000 characters.',
    ])
      expect(wordsOfLatin(he.translate(sentence))).toEqual([])
  })

  test('every refusal that a page can show has a Hebrew translation', async () => {
    const untranslated: string[] = []
    for (const [file, message] of await refusalsOfPages())
      if (he.translate(message) === message) untranslated.push(`${file}: ${message}`)
    expect(untranslated).toEqual([])
  })
})

/** Folders and files whose refusals pages show. */
const shown = [
  'accounts',
  'billing',
  'web',
  'turns/sessions',
  'turns/admit/refusals.ts',
  'turns/admit/admit-turn.ts',
  'turns/admit/requested-model.ts',
  'workspace/quota.ts',
  'workspace/writing.ts',
  'workspace/upload-space.ts',
  'workspace/documents',
  'sources/library-jobs',
  'http/transfers',
  'http/error-handler.ts',
]

/** Refusals of the API and the command line in the same files; pages answer these cases otherwise. */
const ofTheApi = [
  /API key|Idempotency-Key|`messages`|`purpose`|`start` to `end`|which is not a day/,
  /`max_cost`|^There is no such page|scope "X"\. Use a key/,
  /`file_data`|`file_id`|`file_url`|^`X`: X|^There is no new message/,
  // The test above has them with their values.
  /^The limit of X X per minute|^The form may have X/,
]

async function refusalsOfPages(): Promise<readonly (readonly [string, string])[]> {
  const names = (await readdir('src', { recursive: true })).filter((name) => name.endsWith('.ts'))
  const files = names.filter((name) => shown.some((start) => name === start || name.startsWith(`${start}/`)))
  const found: (readonly [string, string])[] = []
  for (const name of files) {
    const source = await readFile(path.join('src', name), 'utf8')
    const refusals = source.matchAll(
      /(?:new ServiceError\(\s*'\w+',|invalidValue\()\s*(?:'((?:[^'\\]|\\.)*)'|`((?:[^`\\]|\\.)*)`)/g,
    )
    for (const [, plain, template] of refusals) {
      const text = (plain ?? template ?? '').replace(/\$\{[^}]*\}/g, 'X').replace(/\\(.)/g, '$1')
      if (!ofTheApi.some((pattern) => pattern.test(text)) && !text.startsWith('X')) found.push([name, text])
    }
  }
  expect(found.length).toBeGreaterThan(40)
  return found
}

/** In the sources below, `#{` stands for the beginning of an inserted value. */
const withValues = (source: string) => source.replaceAll('#{', '$\x7b')

describe('the check of the sources', () => {
  test.each([
    ['a text between tags', 'html`<p>Hello there</p>`'],
    ['a text after an inserted value', 'html`<p>#{name} is here</p>`'],
    ['a text inside an inserted template', "html`<p>#{isDone ? html`<b>Done now</b>` : ''}</p>`"],
    ['a label of a screen reader', 'html`<nav aria-label="Main">#{x}</nav>`'],
    ['a title of a page', "return { title: 'Usage', main }"],
    ['an empty list', "emptyState('Nothing here', text)"],
    ['a notice', "notice('problem', 'It failed.')"],
  ])('it finds %s', (_what, source) => {
    expect(textsOutsideCatalogue('a.ts', withValues(source))).toHaveLength(1)
  })

  test.each([
    ['texts of the catalogue', 'html`<p title="#{t.a}">#{t.b}: #{t.c}</p>`'],
    ['parts of a tag', 'html` aria-current="page"`, html` checked`, html`lang="he" dir="rtl"`'],
    ['code', 'html`<code>npm run</code>`'],
  ])('it lets %s pass', (_what, source) => {
    expect(textsOutsideCatalogue('a.ts', withValues(source))).toEqual([])
  })
})

test.each([
  ['he-IL,he;q=0.9,en;q=0.8', 'he'],
  ['en-US,en;q=0.9,he;q=0.8', 'en'],
  ['de,he;q=0.3,en;q=0.2', 'he'],
  ['iw', 'he'],
  ['he;q=0, en', 'en'],
  ['de-DE', undefined],
  ['', undefined],
  [undefined, undefined],
])('a browser that accepts %s gets the language %s', (header, language) => {
  expect(acceptedLanguage(header)).toBe(language)
})
