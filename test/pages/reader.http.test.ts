import { beforeAll, expect, test } from 'vitest'
import { openVisitor, signedUp } from '../support/visitor.ts'
import { useWorld } from '../support/world/world.ts'
import { importOwnTexts } from './browser/own-texts.ts'

const first = 'The Lamp, Part I; On Lamps 1:1'
const chapter = `/library/read/${encodeURIComponent('The Lamp, Part I; On Lamps 1')}`
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

test('quoted words are marked at their place when the points are off', async () => {
  const visitor = openVisitor(world.service)
  await visitor.post('/library/settings', { points: 'off' })
  const quote = encodeURIComponent('אינו מתוכח עם החשך')
  const page = await pageOf(visitor, `/library/read/${encodeURIComponent(first)}?quote=${quote}`)
  expect(page).toContain('<mark>אינו מתוכח עם החשך</mark>')
})

test('neighbours are named by their numbers, and by their part in another one', async () => {
  const visitor = openVisitor(world.service)
  const page = await pageOf(visitor, `/library/read/${encodeURIComponent('The Lamp, Part I; On Lamps 2')}`)
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
