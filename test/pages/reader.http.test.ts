import { beforeAll, expect, test } from 'vitest'
import { isShort } from '../support/full.ts'
import { importLines } from '../support/library-lines.ts'
import { wordsIn } from '../support/page-text.ts'
import { openVisitor, signedUp } from '../support/visitor.ts'
import { makeAccount, makeKey } from '../support/world/accounts.ts'
import { bodyOf, call } from '../support/world/requests.ts'
import { useWorld } from '../support/world/world.ts'
import { importOwnTexts } from './browser/own-texts.ts'

const first = 'The Lamp, Part I; On Lamps 1:1'
const read = (ref: string) => `/library/read/${encodeURIComponent(ref)}`
const chapter = read('The Lamp, Part I; On Lamps 1')
const passage = `/library/passage/${encodeURIComponent(first)}`

const world = useWorld({ model: 'built-in' })
beforeAll(async () => {
  await importOwnTexts(world.db.database)
})

const pageOf = async (visitor: ReturnType<typeof openVisitor>, path: string) =>
  (await visitor.get(path)).text()

test('language, size and points are kept by the browser without scripts or an account', async () => {
  const visitor = openVisitor(world.service)
  expect(await pageOf(visitor, chapter)).toContain('data-show="both" data-size="1"')
  const set = (fields: Readonly<Record<string, string>>) =>
    visitor.post('/library/settings', { back: chapter, ...fields })
  expect((await set({ show: 'he' })).headers.get('location')).toBe(chapter)
  await set({ size: '3' })
  await set({ points: 'off' })
  const page = await pageOf(visitor, chapter)
  expect(page).toContain('data-show="he" data-size="3"')
  expect(page).toContain('נר קטן הנכנס לחדר אפל')
  expect(page).not.toContain('נֵר')
})

test('a setting that does not exist is refused, and the way back stays in the library', async () => {
  const visitor = openVisitor(world.service)
  for (const fields of [{ show: 'greek' }, { size: '99' }, { points: 'some' }])
    expect((await visitor.post('/library/settings', fields as never)).status).toBe(400)
  for (const back of ['https://elsewhere.example', '//elsewhere.example', '/library/\\elsewhere', '/usage']) {
    const reply = await visitor.post('/library/settings', { show: 'he', back })
    expect(reply.headers.get('location')).toBe('/library')
  }
})

test('quoted words are marked in the version that has them, also without points, or reported missing', async () => {
  const visitor = openVisitor(world.service)
  const marked = async (quote: string) => {
    const page = await pageOf(visitor, `${read(first)}?quote=${encodeURIComponent(quote)}`)
    if (page.includes('are not on this page')) return 'missing'
    return [...page.matchAll(/<mark>([^<]*)<\/mark>/g)].map(([, text]) => text)
  }
  expect(await marked('אינו מתוכח עם החשך')).toEqual(['אֵינוֹ מִתְוַכֵּחַ עִם הַחֹשֶׁךְ'])
  expect(await marked('In other words, passage 1')).toEqual(['In other words, passage 1'])
  expect(await marked('nobody ever wrote these words')).toBe('missing')
  await visitor.post('/library/settings', { points: 'off' })
  expect(await marked('אינו מתוכח עם החשך')).toEqual(['אינו מתוכח עם החשך'])
})

test('neighbours are named by their numbers, and by their part in another one', async () => {
  const visitor = openVisitor(world.service)
  const page = await pageOf(visitor, read('The Lamp, Part I; On Lamps 2'))
  const links = [...page.matchAll(/rel="(\w+)"[^>]*title="[^"]*">([^<]*)</g)].map(([, rel, text]) => [
    rel,
    text,
  ])
  expect(links).toEqual([
    ['prev', '1'],
    ['next', 'Part II; On Wicks 1'],
  ])
})

test('a passage has its links with the beginning of their texts, those of the library first', async () => {
  const page = await pageOf(openVisitor(world.service), passage)
  expect(page.indexOf('The Wall, North 1')).toBeGreaterThan(0)
  expect(page).toContain('The wall that was built in one night kept out')
  expect(page.indexOf('A Book Elsewhere 7:3')).toBeGreaterThan(page.indexOf('The Wall, North 1'))
  expect(page).toContain('Sign in')
})

test('bookmarks, notes and the history are of one account alone', async () => {
  const visitor = await signedUp(world.service, 'reader@example.org')
  await visitor.get(chapter)
  await visitor.post('/library/marks', { ref: first, bookmark: 'on' })
  await visitor.post('/library/marks', { ref: first, note: 'Why <b>hushed</b>?' })
  const page = await pageOf(visitor, chapter)
  expect(page).toContain('class="bookmarked"')
  expect(page).toContain('Why &lt;b&gt;hushed&lt;/b&gt;?')
  const mine = await pageOf(visitor, '/library/mine')
  expect(mine.match(/On%20Lamps%201/g)).toHaveLength(3)
  const other = await signedUp(world.service, 'other-reader@example.org')
  expect(await pageOf(other, chapter)).not.toContain('class="bookmarked"')
  expect(await pageOf(other, '/library/mine')).not.toContain('hushed')
  expect((await visitor.post('/library/marks', { ref: 'None 1:1', bookmark: 'on' })).status).toBe(404)
})

test('a work is read a chapter a day from the day of its start, by link or by account', async () => {
  const visitor = await signedUp(world.service, 'daily@example.org')
  await visitor.post('/library/daily', { work: 'The Lamp', action: 'start' })
  const own = await pageOf(visitor, '/library/daily')
  expect(own).toContain('Day 1 of 3')
  expect(own).toContain('The Lamp, Part I; On Lamps 1')
  const long = await pageOf(openVisitor(world.service), '/library/daily?work=The+Lamp&from=2020-01-01')
  expect(long).toMatch(/Day [123] of 3/)
  expect(await pageOf(openVisitor(world.service), '/library/daily?work=The+Lamp&from=9999-01-01')).toContain(
    'begins on a later day',
  )
  const today = async (zone: string) => {
    visitor.cookies.set('zone', encodeURIComponent(zone))
    return /<p class="faint"><time datetime="([^"]+)"/.exec(
      (await pageOf(visitor, '/library/daily')) ?? '',
    )?.[1]
  }
  // A day apart: the zones are the first and the last that a day reaches.
  expect(await today('Etc/GMT-12')).not.toBe(await today('Etc/GMT+12'))
  visitor.cookies.delete('zone')
  await visitor.post('/library/daily', { work: 'The Lamp', action: 'stop' })
  expect(await pageOf(visitor, '/library/daily')).toContain('No work chosen yet')
})

test('a search counts where its results are, and keeps the chosen filters', async () => {
  const visitor = openVisitor(world.service)
  const page = await pageOf(visitor, '/library/search?q=number+light')
  expect(page).toContain('aria-label="Narrow the results"')
  expect(page).toMatch(
    /work=A\+Hundred\+Steps" dir="auto" aria-label="Work: A Hundred Steps">A Hundred Steps<\/a> <span class="faint">\d+</,
  )
  const narrowed = await pageOf(visitor, '/library/search?q=wall&author=Asher+the+Builder')
  expect(narrowed).toContain('<input type="hidden" name="author" value="Asher the Builder">')
  expect(narrowed).toContain('aria-label="Without the filter “Asher the Builder”"')
})

test.each([['number light', 'work']])(
  'the counts of the search for %j are those within the other filters',
  async (q, facet) => {
    const visitor = openVisitor(world.service)
    const search = async (filters: Readonly<Record<string, string>>) => {
      const page = await pageOf(
        visitor,
        `/library/search?${new URLSearchParams({ q, ...filters, limit: '100' })}`,
      )
      const counts = [
        ...page.matchAll(/<a href="([^"]*)" dir="auto"[^>]*>[^<]*<\/a> <span class="faint">(\d+)/g),
      ]
      return {
        hits: page.split('class="hit"').length - 1,
        total: Number(/class="faint count">(\d+) result/.exec(page)?.[1]),
        counts: counts.map(([, href = '', count]) => ({
          filters: Object.fromEntries(new URLSearchParams(href.replaceAll('&amp;', '&').split('?')[1])),
          count: Number(count),
        })),
      }
    }
    /** The first value of each facet. */
    const firsts = ({ counts }: Awaited<ReturnType<typeof search>>, chosen: object) =>
      [
        ...Map.groupBy(counts, ({ filters }) =>
          Object.keys(filters).find((name) => name !== 'q' && !(name in chosen)),
        ),
      ]
        .filter(([name]) => name !== undefined)
        .flatMap(([, [first]]) => first ?? [])
    const whole = await search({})
    expect(whole.total).toBe(whole.hits)
    const facets = firsts(whole, {})
    expect(facets.flatMap(({ filters }) => Object.keys(filters))).toContain(facet)
    for (const { filters, count } of facets) {
      const narrowed = await search(filters)
      expect(narrowed.hits).toBe(count)
      // A count of the narrowed search is what a reader finds who follows its link.
      for (const both of firsts(narrowed, filters)) expect((await search(both.filters)).hits).toBe(both.count)
    }
  },
)

test('a search in which no filter narrows the results offers none', async () => {
  const page = await pageOf(openVisitor(world.service), '/library/search?q=lamp')
  expect(page).toContain('class="hit"')
  expect(page).not.toContain('aria-label="Narrow the results"')
})

test('a search without results says what to do, with and without filters', async () => {
  const visitor = openVisitor(world.service)
  const none = await pageOf(visitor, '/library/search?q=xylophonist')
  expect(none).toContain('No results')
  expect(none).toContain('href="/ask?question=xylophonist"')
  const filtered = await pageOf(visitor, '/library/search?q=xylophonist&work=The+Wall')
  expect(filtered).toContain('href="/library/search?q=xylophonist">Search the whole library</a>')
})

/** The texts of the elements of a page that begin with this markup. */
const textsAt = (page: string, start: RegExp) =>
  [...page.matchAll(new RegExp(`${start.source}[^>]*>([\\s\\S]*?)</(?:a|p|mark)>`, 'g'))].map(
    ([, inner = '']) => wordsIn(inner),
  )

test('works are found by category and author, with their number', async () => {
  const visitor = openVisitor(world.service)
  const worksAt = async (query: string) =>
    textsAt(await pageOf(visitor, `/library${query}`), /<a class="work-title"/)
  expect(await pageOf(visitor, '/library')).toContain('3 works in 5 versions, 110 texts')
  expect(await worksAt('?category=Teachings')).toEqual(['The Lamp', 'The Wall'])
  expect(await worksAt('?category=Parables')).toEqual(['The Lamp'])
  expect(await worksAt('?author=Asher+the+Builder')).toEqual(['The Wall'])
})

test('a work shows its parts and chapters, and the licence and source of each version', async () => {
  const visitor = openVisitor(world.service)
  const lamp = await pageOf(visitor, '/library/work/The%20Lamp')
  expect(lamp).toMatch(/<h3><span dir="auto">Part I; On Lamps</)
  expect(textsAt(lamp.split('class="parts"')[1] ?? '', /<li><a href="\/library\/read/)).toEqual([
    '1',
    '2',
    '1',
  ])
  const [version, ...others] = (lamp.match(/<tr class[\s\S]*?<\/tr>/g) ?? []).filter((row) =>
    row.includes('Another translation'),
  )
  expect([others, version]).toEqual([[], expect.stringContaining('CC-BY-SA')])
  const wall = await pageOf(visitor, '/library/work/The%20Wall')
  expect(wall).not.toContain('href="javascript')
  expect(wall).toContain('javascript:document')
})

test('a search finds what the API finds, in both languages, and marks the words', async () => {
  const key = await makeKey(world.db.database, (await makeAccount(world.db.database)).id)
  for (const [words, marked] of [
    ['borrowed oil', ['Oil', 'borrowed', 'oil']],
    ['שמן שאול', ['שֶׁמֶן', 'שָׁאוּל', 'כְּשֶׁמֶן']],
  ] as const) {
    const query = `q=${encodeURIComponent(words)}`
    const { data } = await bodyOf(call(world.service, key, 'GET', `/v1/sources/search?${query}`))
    const page = await pageOf(openVisitor(world.service), `/library/search?${query}`)
    const [, ...hits] = page.split('<li class="hit">')
    expect(
      hits.map((hit) => [
        textsAt(hit, /<h3><a/)[0],
        wordsIn(/<p class="text"[\s\S]*?<\/p>/.exec(hit)?.[0] ?? ''),
      ]),
    ).toEqual(
      data.map(({ ref, snippet }: { ref: string; snippet: string }) => [
        ref,
        snippet.replace(/\s+/g, ' ').trim(),
      ]),
    )
    expect(textsAt(hits[0] ?? '', /<mark/)).toEqual(marked)
    expect(wordsIn(hits[0] ?? '')).toContain('Licence: CC0')
  }
})

test('a search for a ref opens its passage, or offers the nearest ref', async () => {
  const visitor = openVisitor(world.service)
  const search = (q: string) => visitor.get(`/library/search?q=${encodeURIComponent(q)}`)
  const found = await search('the lamp on lamps 2:1')
  expect(await pageOf(visitor, found.headers.get('location') ?? '')).toMatch(
    /class="segment here"[^>]*data-ref="The Lamp, Part I; On Lamps 2:1"/,
  )
  const missing = await (await search('The Lamp, Part I; On Lamps 9:1')).text()
  expect(wordsIn(missing)).toMatch(/The library has no “ ?The Lamp, Part I; On Lamps 9:1 ?”.*The nearest ref/)
  expect(missing).toMatch(/The nearest ref that exists is <a[^>]*>The Lamp, Part I; On Lamps 2:/)
  const unknown = await visitor.get(read('The Lampe 9:9'))
  expect([unknown.status, await unknown.text()]).toEqual([
    404,
    expect.stringMatching(/class="nearest"><li><a[^>]*>The Lamp/),
  ])
  // With a filter it is a search.
  expect((await visitor.get('/library/search?q=the+lamp+on+lamps+2:1&language=en')).status).toBe(200)
})

test('another version can be chosen, and its licence and source are shown', async () => {
  const visitor = openVisitor(world.service)
  const page = await pageOf(visitor, `${read(first)}?translation=en/Another+translation`)
  expect(page).toContain('In other words, passage 1')
  const credits = wordsIn(/<aside class="credits"[\s\S]*?<\/aside>/.exec(page)?.[0] ?? '')
  expect(credits).toContain('Another translation . Licence: CC-BY-SA .')
  expect(credits).not.toContain('Translated for the tests')
})

test('an English text that begins with a Hebrew word is still read from the left', async () => {
  for (const path of [
    '/library/search?q=carry+walk+slower',
    `${read('The Lamp, Part I; On Lamps 1:2')}?translation=en/Translated+for+the+tests`,
  ])
    expect(await pageOf(openVisitor(world.service), path)).toMatch(
      /class="text"[^>]* dir="ltr">[^<]*נר אחד: Two people/,
    )
})

test('markup in texts and in what is searched comes out as text', async () => {
  const visitor = openVisitor(world.service)
  const passage = `${read('The Lamp, Part I; On Lamps 2:2')}?translation=en/Translated+for+the+tests`
  expect(await pageOf(visitor, passage)).toContain('&lt;b&gt;of his own&lt;/b&gt;')
  const hostile = '"><script>document.title="broken"</script><b>'
  for (const path of [`/library/search?q=${encodeURIComponent(hostile)}`, read(hostile), passage]) {
    const [, main = ''] = (await pageOf(visitor, path)).split('<main')
    expect(main).not.toMatch(/<script>|<b>/)
    if (path !== passage) expect(main).toContain('value="&quot;&gt;&lt;script&gt;')
  }
})

test('the chapters of a long work come in pages, part by part', async () => {
  const doors = (heading: string) =>
    Array.from({ length: 310 }, (_, i) => ({
      work: heading.split(',')[0],
      ref: `${heading} ${i + 1}:1`,
      en: 'A door.',
    }))
  await importLines(world.db.database, ['Many Doors', 'Two Houses, East', 'Two Houses, West'].flatMap(doors))
  const visitor = openVisitor(world.service)
  const chaptersOf = (page: string) =>
    textsAt(page.split('class="chapters"')[1]?.split('</ul>')[0] ?? '', /<a/)
  const more = (page: string) =>
    /href="([^"]*)"[^>]*>More chapters</.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const first = await pageOf(visitor, '/library/work/Many%20Doors')
  expect(chaptersOf(first)).toHaveLength(300)
  expect(chaptersOf(await pageOf(visitor, more(first)))).toEqual(
    Array.from({ length: 10 }, (_, i) => `${i + 301}`),
  )
  expect(textsAt(await pageOf(visitor, '/library/work/Two%20Houses'), /<li><a href="[^"]*part=/)).toEqual([
    'East',
    'West',
  ])
  const west = await pageOf(visitor, '/library/work/Two%20Houses?part=Two+Houses%2C+West')
  expect(chaptersOf(await pageOf(visitor, more(west)))).toContain('310')
  expect(await pageOf(visitor, read('Two Houses, West 310'))).not.toContain(' rel="next"')
})

test.skipIf(isShort)('searches of an address are limited, and reading is not', async () => {
  // Four at once, more than a minute allows: one after the other, a busy machine would let the limit refill.
  const visitor = openVisitor(world.service)
  const replies: Response[] = []
  while (replies.length < 120)
    replies.push(
      ...(await Promise.all(Array.from({ length: 4 }, () => visitor.get('/library/search?q=%D7%A0%D7%A8')))),
    )
  const refused = replies.filter(({ status }) => status === 429)
  expect(refused.length).toBeGreaterThan(0)
  expect(replies.filter(({ status }) => status === 200).length).toBeGreaterThan(30)
  expect(refused[0]?.headers.get('retry-after')).toMatch(/^\d+$/)
  expect(await refused[0]?.text()).toContain('60 searches per minute')
  expect((await visitor.get(read(first))).status).toBe(200)
})
