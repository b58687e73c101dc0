import { beforeAll, expect, test } from 'vitest'
import { type RefNames, refNames, stepTitle } from '../../src/web/pages/ref-names.ts'
import { textsIn } from '../../src/web/texts/catalogue.ts'
import { readDocument } from '../../src/workspace/documents/read.ts'
import { callTools, reply } from '../support/scripted-upstream.ts'
import { signedUp, type TestVisitor } from '../support/visitor.ts'
import { useWorld } from '../support/world/world.ts'
import { wordsOfLatin } from './texts/latin-words.ts'

const parts = { 'Part I; Lamps': 'חלק א׳; נרות', 'Part II; Wicks': 'חלק ב׳; פתילות' } as const
const hebrewNumbers = ['', 'א׳', 'ב׳']

const ranges = [
  'The Oil, Part II; Wicks 1:1-2',
  'The Oil, Part II; Wicks 1:2-2:1',
  'The Oil, Part II; Wicks 1-2',
]
const hebrewRanges = ['א׳:א׳–ב׳', 'א׳:ב׳–ב׳:א׳', 'א׳–ב׳'].map((range) => `השמן, חלק ב׳; פתילות ${range}`)

/** A book with two parts of two chapters of two passages. */
const book = Object.entries(parts).flatMap(([part, hePart]) =>
  [1, 2].flatMap((chapter) =>
    [1, 2].map((verse) => ({
      work: 'The Oil',
      he_title: 'השמן',
      author: 'Shneur Zalman of Liadi',
      ref: `The Oil, ${part} ${chapter}:${verse}`,
      he_ref: `השמן, ${hePart} ${hebrewNumbers[chapter]}:${hebrewNumbers[verse]}`,
      en: `The oil of ${part} at ${chapter}:${verse} burns with a small clear flame until the morning.`,
      he: `שמן ${chapter}:${verse}`,
      license: 'own',
      ...(chapter + verse === 2 && { refs: ['The Oil, Part II; Wicks 2:2', ...ranges] }),
    })),
  ),
)

/** A book without Hebrew refs, as a plain file is imported. */
const plain = ['The Jar, Introduction', 'The Jar, Gates 1:1', 'The Jar, Gates 15:1'].map((ref) => ({
  ...{ work: 'The Jar', he_title: 'הכד', ref, he: `הכד של ${ref}`, license: 'Public Domain' },
}))

let visitor: TestVisitor

const world = useWorld({ library: [...book, ...plain], web: { signUpPlan: 'pro' } })
beforeAll(async () => {
  visitor = await signedUp(world.service, 'names@example.org')
  await visitor.post('/preferences', { language: 'he' })
})

const first = 'The Oil, Part I; Lamps 1:1'
const hebrewFirst = 'השמן, חלק א׳; נרות א׳:א׳'
const textOf = async (path: string) => (await visitor.get(path)).text()
const at = (page: string, ref: string) => textOf(`${page}/${encodeURIComponent(ref)}`)

/** Latin words in the main part of a page, without the texts of the book and without the names beside Hebrew ones. */
function latinIn(page: string): readonly string[] {
  const main = /<main[\s\S]*<\/main>/.exec(page)?.[0] ?? ''
  const own = main
    .replace(/<(\w+)[^>]*class="(?:other-name|text|version faint)"[^>]*>[\s\S]*?<\/\1>/g, '')
    .replace(/<(p|figcaption) class="(?:excerpt text|faint)"[\s\S]*?<\/\1>/g, '')
  const labels = [...own.matchAll(/\b(?:aria-label|title|placeholder|data-copy-text)="([^"]*)"/g)]
  return wordsOfLatin(`${own} ${labels.map(([, label]) => label).join(' ')}`)
}

test('the reader names neighbours, tools and passages in Hebrew, with Hebrew numbers', async () => {
  const page = await at('/library/read', 'The Oil, Part I; Lamps 2')
  expect(page).toContain('title="השמן, חלק א׳; נרות א׳">א׳</a>')
  expect(page).toContain('title="השמן, חלק ב׳; פתילות א׳">חלק ב׳; פתילות א׳</a>')
  expect(page).toMatch(/<summary class="button quiet"[^>]*>ב׳</)
  expect(page).toContain('<bdi>השמן, חלק ב׳; פתילות א׳</bdi>')
  expect(page).toContain('title="השמן, חלק א׳; נרות ב׳:א׳"><span class="sr">השמן, חלק א׳; נרות ב׳:</span>א׳<')
  expect(page).toContain('aria-label="הוספה לדף: השמן, חלק א׳; נרות ב׳:א׳"')
})

test('a work without Hebrew refs has chapters in letters, entries by their names, and its licence in words', async () => {
  const page = await textOf('/library/work/The%20Jar')
  expect(page).toMatch(/<ul class="chapters"><li><a[^>]*>א׳<\/a><\/li><li><a[^>]*>ט״ו<\/a>/)
  expect(page).toMatch(/<ul class="part-list"><li><a[^>]*>Introduction<\/a>/)
  expect(page).not.toContain('>טקסט<')
  expect(page).toContain('<bdi>נחלת הכלל</bdi>')
  expect(await at('/library/read', 'The Jar, Gates 1')).toContain('<bdi>נחלת הכלל</bdi>')
})

test('a work has its parts, chapter numbers and author in Hebrew', async () => {
  const page = await textOf('/library/work/The%20Oil')
  expect(page).toMatch(
    /<h3><span lang="he" dir="rtl">חלק א׳; נרות<\/span> <span class="other-name" dir="auto">Part I; Lamps/,
  )
  expect(page).toContain('title="השמן, חלק א׳; נרות ב׳">ב׳</a>')
  expect(page).toContain('dir="auto">שניאור זלמן מליאדי</a>')
  expect(page).toMatch(/name="work"[^>]* value="השמן"/)
  expect(await textOf(`/library/search?q=oil&work=${encodeURIComponent('השמן')}`)).toContain(
    '<li class="hit">',
  )
  const list = await textOf('/library?author=Shneur%20Zalman%20of%20Liadi')
  expect(list).toContain('<h2 id="works" dir="auto">שניאור זלמן מליאדי</h2>')
  const search = await textOf('/library/search?q=oil&author=Shneur%20Zalman%20of%20Liadi')
  expect(search).toContain('<bdi>שניאור זלמן מליאדי</bdi>')
})

test('links, nearest refs and previews have Hebrew refs', async () => {
  const panel = await at('/library/passage', first)
  expect(panel).toContain('dir="auto">השמן, חלק ב׳; פתילות ב׳:ב׳</a>')
  expect(panel).toMatch(/lang="he" dir="rtl">שמן 2:2/)
  expect(await at('/library/read', 'The Oil, Part I; Lamps 2:9')).toContain(
    'dir="auto">השמן, חלק א׳; נרות ב׳:ב׳</a>',
  )
  const preview = await at('/library/preview', first)
  expect(preview).toContain(`<b dir="auto">${hebrewFirst}</b>\n<bdi class="other-name">${first}</bdi>`)
  expect(await textOf('/library/work-preview/The%20Oil')).toContain('<p dir="auto">שניאור זלמן מליאדי</p>')
})

test('ranges have Hebrew refs in links, previews and steps, where the library has both ends', async () => {
  const panel = await at('/library/passage', first)
  for (const range of hebrewRanges) expect(panel).toContain(`dir="auto">${range}</span>`)
  for (const [i, range] of ranges.entries())
    expect(await at('/library/preview', range)).toContain(`<b dir="auto">${hebrewRanges[i]}</b>`)
  const names = await refNames({ language: 'he' }, world.db.database.system, [...ranges, `${ranges[0]}0`])
  expect(ranges.map(names)).toEqual(hebrewRanges)
  expect(names(`${ranges[0]}0`)).toBe(`${ranges[0]}0`)
})

test('a step is named by the passages that it has read, if its ref is written in another way', () => {
  const read: RefNames = (ref) => ({ 'Oil 1:1': 'שמן א׳:א׳', 'Oil 1:3': 'שמן א׳:ג׳' })[ref] ?? ref
  const title = (refs: readonly string[], names = read) =>
    stepTitle(textsIn('he'), { title: 'Reading oil ch. 1:1-3', refs }, names)
  expect(title(['Oil 1:1', 'Oil 1:2', 'Oil 1:3'])).toBe('קריאת שמן א׳:א׳–ג׳')
  expect(title(['Oil 1:1'])).toBe('קריאת שמן א׳:א׳')
  expect(title(['Oil 1:1', 'Oil 9'])).toBe('קריאת oil ch. 1:1-3')
  expect(title([])).toBe('קריאת oil ch. 1:1-3')
})

test('checks, steps and sources of an answer have Hebrew refs', async () => {
  const read = (ref: string) => callTools([{ name: 'read_source', arguments: { ref } }])
  const quoted = 'burns with a small clear flame until the morning'
  const answer = `נאמר ”The oil of Part I; Lamps at 2:1 ${quoted}” [S1], ועוד ”The oil of Part I; Lamps at 1:1 ${quoted}” [S1].`
  world.upstream.enqueue(read(first), reply(answer))
  await visitor.post('/ask', { form: 'f', question: 'מה על השמן?', model: 'service' })
  const run = await world.row<{ id: string; session: string }>('select id, session_id as session from runs')
  await world.end(run.id)
  const page = await textOf(`/sessions/${run.session}`)
  expect(page).toMatch(new RegExp(`קריאת <a class="ref"[^>]*>${hebrewFirst}</a>`))
  expect(page).toMatch(/class="check-note misattributed"[^>]*>מקורו: השמן, חלק א׳; נרות ב׳:א׳</)
  expect(page).toMatch(/<a class="ref"[^>]*>השמן, חלק א׳; נרות ב׳:א׳<\/a>/)
  expect(page).toContain('aria-label="מקור 1"')
  expect(page).toContain(`data-copy-text="${hebrewFirst}"`)
  const details = await textOf(`/runs/${run.id}`)
  expect(details).toContain(`קריאת ${hebrewFirst}`)
  expect(details).not.toContain('>The Oil')
})

test('a sheet has Hebrew refs in its editor, its preview and its public page', async () => {
  expect(await textOf(`/sheets/add?ref=${encodeURIComponent(first)}`)).toContain(
    `<bdi class="entry-ref">${hebrewFirst}</bdi>`,
  )
  const made = await visitor.post('/sheets/add', { ref: first, sheet: 'new' })
  const path = made.headers.get('location')?.split('?')[0] ?? ''
  const editor = await textOf(path)
  expect(editor).toContain(hebrewFirst)
  expect(latinIn(editor)).toEqual([])
  expect(editor).toContain('טקסט של הספרייה, ללא רישיון ציבורי')
  const preview = await textOf(`${path}/preview`)
  expect(preview).toContain(`<span>${hebrewFirst}</span></h2>`)
})

/** Latin words of a Markdown file outside the quoted texts. */
const latinOfFile = (markdown: string) =>
  wordsOfLatin(
    markdown
      .split('\n')
      .filter((line) => !line.startsWith('>'))
      .join('\n'),
  )

test('files of a sheet are Hebrew for a reader of Hebrew pages', async () => {
  const made = await visitor.post('/sheets', { title: 'Evening' })
  const path = made.headers.get('location')?.split('?')[0] ?? ''
  await visitor.post('/sheets/add', { ref: 'The Oil, Part I; Lamps 1', sheet: path.split('/').at(-1) ?? '' })
  const markdown = await textOf(`${path}/file?format=md`)
  expect(markdown).toContain('## 1. השמן, חלק א׳; נרות א׳:א׳–ב׳')
  expect(markdown).toContain('השמן, עברית')
  expect(latinOfFile(markdown)).toEqual(['Evening'])
  const preview = await textOf(`${path}/preview`)
  expect(latinIn(/<article[\s\S]*<\/article>/.exec(preview)?.[0].replace(/^/, '<main>') ?? '')).toEqual([])
  const html = await textOf(`${path}/file?format=html`)
  expect(html).toContain('<html lang="he" dir="rtl">')
  expect(html).not.toMatch(/>[^<]*\bThe Oil\b/)
})

test('a conversation is exported with Hebrew refs, titles and labels', async () => {
  const { session } = await world.row<{ session: string }>('select session_id as session from runs')
  const markdown = await textOf(`/sessions/${session}/export?format=md`)
  expect(markdown).toContain(`[1] **${hebrewFirst}** (`)
  expect(markdown).toContain('### מקורות')
  expect(latinOfFile(markdown.replace(/”[^”]*”/g, ''))).toEqual([])
  const pdf = Buffer.from(await (await visitor.get(`/sessions/${session}/export?format=pdf`)).arrayBuffer())
  const { text } = await readDocument('pdf', pdf, () => false)
  expect(text).toContain(`1 ${hebrewFirst}`)
  expect(text).toContain('השמן, עברית')
  expect(text).not.toMatch(/The Oil,/)
})

test('English pages of the same passages name them in English', async () => {
  await visitor.post('/preferences', { language: 'en' })
  const page = await at('/library/read', 'The Oil, Part I; Lamps 2')
  expect(page).toContain('title="The Oil, Part I; Lamps 1">1</a>')
  expect(page).toContain('<bdi>The Oil, Part II; Wicks 1</bdi>')
  const work = await textOf('/library/work/The%20Oil')
  expect(work).toContain('dir="auto">Shneur Zalman of Liadi</a>')
  expect(work).toContain('title="The Oil, Part I; Lamps 2">2</a>')
  const preview = await at('/library/preview', first)
  expect(preview).toContain(`<b dir="auto">${first}</b>`)
})
