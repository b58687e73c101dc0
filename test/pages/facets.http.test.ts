import { beforeAll, expect, test } from 'vitest'
import { importJsonl } from '../../src/sources/importers/import-jsonl.ts'
import { openVisitor } from '../support/visitor.ts'
import { useWorld } from '../support/world/world.ts'

const works = [
  ['Gate of Lamps', 'שער הנרות', '1790-1812'],
  ['Road of Lamps', 'דרך הנרות', 1650],
  ['House of Lamps', 'בית הנרות', undefined],
] as const

const world = useWorld({ model: 'built-in' })
beforeAll(async () => {
  async function* lines(): AsyncGenerator<string> {
    for (const [work, he_title, composed] of works)
      for (let i = 1; i <= 2; i += 1)
        yield JSON.stringify({
          work,
          he_title,
          composed,
          ref: `${work} ${i}:1`,
          en: `A lamp burns in room ${i} of ${work}.`,
          ...(i === 1 && { he: 'נר דולק בחדר' }),
        })
  }
  await importJsonl(world.db.database, lines(), { allowLicenses: [] })
})

const get = (query: object, language = 'en') =>
  openVisitor(world.service).get(
    `/library/search?${new URLSearchParams({ q: 'lamp נר', ...query } as Record<string, string>)}`,
    { 'accept-language': language },
  )
const pageOf = async (query: object, language?: string) => (await get(query, language)).text()

/** Values of the panel with their numbers. */
const countsIn = (page: string) =>
  Object.fromEntries(
    [...page.matchAll(/dir="auto"[^>]*>([^<]*)<\/a> <span class="faint">(\d+)/g)].map(([, name, hits]) => [
      name,
      Number(hits),
    ]),
  )

test('the search page counts its hits by period and language', async () => {
  expect(countsIn(await pageOf({}))).toMatchObject({
    '17th century': 2,
    '18th century': 2,
    '19th century': 2,
    'Not dated': 2,
    Hebrew: 3,
    English: 6,
  })
  expect(countsIn(await pageOf({}, 'he'))).toMatchObject({
    'המאה ה־18': 2,
    'ללא תאריך': 2,
    עברית: 3,
  })
})

test('period, years and language narrow the results, and stay when searching again', async () => {
  const page = await pageOf({ period: '18', language: 'he', from: '1800', to: '1900' })
  expect(page.split('class="hit"')).toHaveLength(2)
  expect(page).toContain('Gate of Lamps 1:1')
  const form = /<form class="search"[\s\S]*?<\/form>/.exec(page)?.[0]
  expect(form).toContain('<input type="hidden" name="period" value="18">')
  expect(form).toContain('<input type="hidden" name="from" value="1800">')
  expect(form).toContain('<input type="hidden" name="to" value="1900">')
  expect(form).toContain('<option value="he" dir="auto" selected>')
  // The form of the years keeps the others, too.
  const years = /<form class="years"[\s\S]*?<\/form>/.exec(page)?.[0]
  expect(years).toContain('<input type="hidden" name="period" value="18">')
  expect(years).toContain('<input type="hidden" name="language" value="he">')
  expect(years).toMatch(/type="number" name="from" value="1800"/)
})

test('each of the filters in use has a link that drops it alone', async () => {
  const page = await pageOf({ period: '18', from: '1700' })
  expect(page).toMatch(/href="[^"]*&amp;from=1700" aria-label="Without the filter “18th century”"/)
  expect(page).toMatch(/href="[^"]*&amp;period=18" aria-label="Without the filter “from 1700”"/)
  const undated = await pageOf({ period: 'undated', language: 'en' })
  expect(undated).toContain('aria-label="Without the filter “Not dated”"')
  expect(undated).toContain('aria-label="Without the filter “English”"')
})

test.each([
  [{ period: 'soon' }, 'such as 18', 'כגון 18'],
  [{ language: 'xx' }, 'Use one of: en, he', 'שפות הספרייה: en, he'],
  [{ from: 'x' }, 'such as 1796', 'כגון 1796'],
  [{ to: '0' }, 'such as 1796', 'כגון 1796'],
  [{ from: '5556' }, 'such as 1796', 'כגון 1796'],
  [{ from: '1800', to: '1700' }, 'Give an earlier', 'שנת התחלה מוקדמת'],
])('%j is refused on the page in the language of the reader', async (query, english, hebrew) => {
  const reply = await get(query)
  expect(reply.status).toBe(400)
  expect(await reply.text()).toContain(english)
  expect(await pageOf(query, 'he')).toContain(hebrew)
})

test('the API has the same filters, refuses the same, and says when a work was written', async () => {
  const ask = async (path: string) => {
    const reply = await fetch(world.service.url + path, {
      headers: { authorization: `Bearer ${world.key}` },
    })
    return { status: reply.status, body: (await reply.json()) as Record<string, never> }
  }
  const search = (query: string) => ask(`/v1/sources/search?q=lamp&${query}`)
  expect((await search('period=17')).body).toMatchObject({
    data: [{ work: 'Road of Lamps' }, { work: 'Road of Lamps' }],
  })
  expect((await search('from=1801&language=he')).body).toMatchObject({ data: [{ work: 'Gate of Lamps' }] })
  for (const [query, param] of [
    ['period=soon', 'period'],
    ['language=xx', 'language'],
    ['from=', 'from'],
    ['to=1e9', 'to'],
    ['from=2&to=1', 'from'],
  ] as const)
    expect(await search(query)).toMatchObject({
      status: 400,
      body: { error: { param, code: 'invalid_value' } },
    })
  expect((await ask('/v1/sources/works?from=1700')).body).toMatchObject({
    data: [{ title: 'Gate of Lamps', composed: { from: 1790, to: 1812 } }],
  })
  expect((await ask('/v1/sources/works?period=undated')).body).toMatchObject({
    data: [{ title: 'House of Lamps', composed: null }],
  })
})

test('the page of a work says when it was written, in the language of the reader', async () => {
  const workPage = async (title: string, language: string) =>
    (
      await openVisitor(world.service).get(`/library/work/${encodeURIComponent(title)}`, {
        'accept-language': language,
      })
    ).text()
  expect(await workPage('Gate of Lamps', 'en')).toContain('<dt>Written</dt><dd>about 1790–1812</dd>')
  expect(await workPage('Gate of Lamps', 'he')).toContain('<dt>נכתב</dt><dd>בערך 1790–1812</dd>')
  expect(await workPage('Road of Lamps', 'en')).toContain('<dt>Written</dt><dd>1650</dd>')
  expect(await workPage('House of Lamps', 'en')).not.toContain('<dt>Written')
})

test.each([
  [
    { from: '5556' },
    'from',
    'The field &quot;from&quot; is not valid: must be a year of the common era from -4000 to 2999',
  ],
  [
    { from: '1900', to: '1700' },
    'from',
    'The years begin with 1900 and end with 1700. Give an earlier first year',
  ],
  [{ from: '1700', to: '0' }, 'to', 'The field &quot;to&quot; is not valid'],
])(
  'a search with the years %j keeps its words, filters and years, and marks the field',
  async (years, wrong, says) => {
    const filters = { language: 'he', work: 'Gate of Lamps', author: 'Alter Rebbe', period: '18' }
    const reply = await get({ ...filters, ...years })
    expect(reply.status).toBe(400)
    const page = await reply.text()
    expect(page).toContain(says)
    const form = /<form class="search"[\s\S]*?<\/form>/.exec(page)?.[0] ?? ''
    expect(form).toContain('value="lamp נר"')
    expect(form).toContain('<option value="he" dir="auto" selected>')
    for (const name of ['work', 'author', 'period'] as const)
      expect(form).toContain(`<input type="hidden" name="${name}" value="${filters[name]}">`)
    for (const [name, value] of Object.entries(years))
      expect(form).toContain(`name="${name}" value="${value}"`)
    expect([...form.matchAll(/name="(\w+)"[^>]*aria-invalid="true"/g)].map(([, name]) => name)).toEqual([
      wrong,
    ])
    expect(page.split('class="chip"')).toHaveLength(1 + Object.keys(filters).length)
  },
)

test('a filter that the library does not have is kept, and can be dropped alone', async () => {
  for (const filter of [{ period: 'lately' }, { language: 'xx' }, { author: 'Nobody' }]) {
    const [[name, value] = []] = Object.entries(filter)
    const page = await pageOf({ ...filter, work: 'Gate of Lamps', from: '1700' })
    expect(page).toContain('role="alert"')
    const chip = page.split('class="chip"').find((one) => one.includes(`Without the filter “${value}”`))
    const without = /href="([^"]+)" aria-label/.exec(chip ?? '')?.[1]?.replaceAll('&amp;', '&')
    expect(Object.fromEntries(new URL(without ?? '', world.service.url).searchParams)).toEqual({
      q: 'lamp נר',
      work: 'Gate of Lamps',
      from: '1700',
    })
    expect(without).not.toContain(`${name}=`)
  }
})
