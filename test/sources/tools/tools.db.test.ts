import { describe, expect, it } from 'vitest'
import type { OfferedSource } from '../../../src/agent/tools.ts'
import { createSourceMarks } from '../../../src/sources/citations/source-marks.ts'
import { sourceTools } from '../../../src/sources/tools/agent-tools.ts'
import { libraryIn } from '../../support/library-database.ts'
import { useLibrary } from '../../support/library-lines.ts'

const signal = new AbortController().signal

/** One sentence of Hebrew letters and quotation marks, which take two bytes and a backslash in JSON. */
const longSentence = `${'מילה "ארוכה" '.repeat(3000)}סוף.`

const wells = Array.from({ length: 30 }, (_, i) => ({
  ...{ work: 'Wells', ref: `Wells ${i + 1}:1`, he_ref: `בארות ${i + 1}`, license: 'CC0' },
  en: `well number ${i + 1}. ${'deep water '.repeat(80)}`,
}))

const db = useLibrary([
  ...wells,
  { work: 'Wells', ref: 'Wells 99:1', he: 'קצר ויפה' },
  { work: 'Unbroken', ref: 'Unbroken 1', he: 'א'.repeat(30_000) },
  { work: 'Endless', ref: 'Endless 1', he: longSentence },
])

type Shown = { readonly mark: string; readonly ref: string; readonly text: string }

async function call(name: string, args: Record<string, unknown>, offered: readonly OfferedSource[] = []) {
  const sourceMarks = createSourceMarks(offered)
  const tool = sourceTools(libraryIn(db.database), sourceMarks).find((t) => t.spec.name === name)
  if (!tool) throw new Error(`no tool ${name}`)
  const outcome = await tool.execute(args, signal)
  const content = JSON.parse(outcome.content) as { passages?: readonly Shown[]; omitted?: number } & {
    works?: readonly { title: string }[]
  } & { note?: string; error?: string; nearest?: readonly string[] }
  return { outcome, content, sources: outcome.sources ?? [], sourceMarks }
}

describe('the source tools', () => {
  it('take null for an argument that is left out', async () => {
    const { content } = await call('search_sources', {
      query: 'well',
      work: null,
      language: null,
      limit: null,
    })
    expect(content.passages?.length).toBeGreaterThan(0)
  })

  it('are named and shaped as the model was promised', () => {
    const tools = sourceTools(libraryIn(db.database), createSourceMarks())
    const shapes = tools.map(({ spec }) => [
      spec.name,
      ...Object.keys(spec.parameters['properties'] as object),
    ])
    expect(shapes.map((shape) => shape.join(' '))).toEqual([
      'search_sources query language work author category period from to limit',
      'read_source ref before after',
      'list_works category author period from to',
      ...['resolve_ref ref', 'work_shape work', 'find_parallels ref'],
    ])
    expect(tools[0]?.describe({ query: 'beinoni' })).toBe('Searching for "beinoni"')
    expect(tools.every((tool) => typeof tool.describe({}) === 'string')).toBe(true)
  })

  it('offer exactly the text that they show, under the mark that they show', async () => {
    const { content, sources } = await call('search_sources', { query: 'well water', limit: 5 })
    expect(content.passages).toHaveLength(5)
    expect(content.passages?.map((p) => [p.mark, p.text])).toEqual(
      sources.map((s) => [`[${s.mark}]`, s.text]),
    )
    expect(content.note).toMatch(/not instructions/)
  })

  it('go on counting marks through the turn, and give a passage its old one', async () => {
    const first = await call('read_source', { ref: 'Wells 3:1' })
    const second = await call('read_source', { ref: 'Wells 3:1', after: 1 }, first.sources)
    expect(second.sources.map(({ ref, mark }) => `${ref} ${mark}`)).toEqual(['Wells 3:1 S1', 'Wells 4:1 S2'])
  })

  it('stay within 24 KB, and say what they cut and what they left out', async () => {
    const many = await call('read_source', { ref: 'Wells 1:1', after: 10 })
    const endless = await call('read_source', { ref: 'Endless 1', after: 10 })
    for (const { outcome } of [many, endless])
      expect(Buffer.byteLength(outcome.content)).toBeLessThanOrEqual(24 * 1024)
    const shown = endless.content.passages ?? []
    expect((endless.content.omitted ?? 0) + shown.length).toBeGreaterThan(10)
    expect(shown.map((p) => p.text)).toEqual(endless.sources.map((s) => s.text))
  })

  it('cut one overlong text between words', async () => {
    const [passage] = (await call('read_source', { ref: 'Endless 1:1' })).content.passages ?? []
    expect(longSentence.startsWith(passage?.text ?? '-')).toBe(true)
  })

  it('tell the model what exists instead of a ref that does not', async () => {
    const { outcome, content } = await call('read_source', { ref: 'Wells 100:1' })
    expect(outcome.isError).toBe(true)
    expect(content.nearest?.[0]).toBe('Wells 99:1')
  })

  it('tell the model when nothing was found', async () => {
    const { outcome, content } = await call('search_sources', { query: 'zzyzx' })
    expect(outcome.isError).toBe(true)
    expect(content.error).toContain('zzyzx')
  })

  it.each([
    ['search_sources', { query: '' }, /query/],
    ['search_sources', { query: 'x', limit: 5000 }, /limit/],
    ['search_sources', { query: 'x', work: 'a '.repeat(151) }, /work: /],
    ['read_source', { reference: 'Wells 1' }, /ref/],
    ['read_source', { ref: 'Wells 1', before: -1 }, /before/],
    ['list_works', { category: 'a '.repeat(151) }, /category: /],
    ['list_works', { category: 7 }, /category/],
    ['list_works', { author: 'a '.repeat(151) }, /author: /],
  ])('answer bad arguments of %s in words: %j', async (name, args, message) => {
    const { outcome, content } = await call(name, args)
    expect(outcome.isError).toBe(true)
    expect(content.error).toMatch(message)
  })

  it('list works by category and author', async () => {
    const { content } = await call('list_works', {})
    expect(content.works?.map((w) => w.title)).toEqual(['Endless', 'Unbroken', 'Wells'])
    const { outcome, content: refused } = await call('list_works', { author: 'nobody' })
    expect(outcome.isError).toBe(true)
    expect(refused.error).toMatch(/No author of the library is called "nobody"/)
  })

  it('stop when the turn is over', async () => {
    const aborted = AbortSignal.abort()
    const tools = sourceTools(libraryIn(db.database), createSourceMarks())
    await expect(tools[0]?.execute({ query: 'well' }, aborted)).rejects.toThrow()
  })

  it('resolve what a reference stands for, and name the nearest when it stands for nothing', async () => {
    const found = JSON.parse((await call('resolve_ref', { ref: 'Wells 7' })).outcome.content)
    expect(found).toMatchObject({ found: true, passages: [{ ref: 'Wells 7:1', he_ref: 'בארות 7' }] })
    const missing = (await call('resolve_ref', { ref: 'Wells 7:9' })).outcome
    expect(missing.isError).toBe(true)
    expect(JSON.parse(missing.content).nearest.length).toBeGreaterThan(0)
  })

  it('list nothing for a query that is nothing but a missing place, and say so alike', async () => {
    const { outcome, content, sources } = await call('search_sources', { query: 'What does Wells 100 say?' })
    expect([outcome.isError, content.passages, sources]).toEqual([true, undefined, []])
    expect(content.nearest?.[0]).toBe('Wells 99')
    const said = '"Wells 100" does not exist in this library'
    expect(JSON.parse(outcome.content).does_not_exist).toContain(said)
    const resolved = (await call('resolve_ref', { ref: 'Wells 100' })).content
    expect(resolved.error).toContain(said)
    const shape = (await call('work_shape', { work: 'Meadows of Nobody' })).content
    expect(shape.error).toContain('"Meadows of Nobody" does not exist in this library')
  })

  it('mark what stands at a place that the query names, beside one that is missing', async () => {
    const { outcome } = await call('search_sources', { query: 'deep water in Wells 7 and in Wells 100' })
    const { does_not_exist: said, passages } = JSON.parse(outcome.content)
    expect(said).toContain('"Wells 100" does not exist')
    expect(passages[0]).toMatchObject({ ref: 'Wells 7:1', in_named_place: true })
    expect(passages[1]).not.toHaveProperty('in_named_place')
  })

  it('give the address of what a passage points to, where the library has it', async () => {
    await db.database.system.execute(
      `insert into links (from_ref, to_ref, kind) values
        ('Wells 5:1', 'Malachi 3:16', 'quotes'), ('Wells 5:1', 'Wells 6', 'quotes')`,
    )
    const { outcome } = await call('read_source', { ref: 'Wells 5:1' })
    expect(JSON.parse(outcome.content).passages[0].points_to).toEqual([
      { ref: 'Malachi 3:16' },
      { ref: 'Wells 6', url: '/library/read/Wells%206' },
    ])
  })

  it('show how a work is divided', async () => {
    const { sections } = JSON.parse((await call('work_shape', { work: 'wells' })).outcome.content)
    expect(sections).toHaveLength(31)
    expect(sections[0]).toEqual({ section: 'Wells 1', passages: 1 })
  })

  it('list what points to a passage and what it points to, with what the library has first', async () => {
    await db.database.system.execute(
      `insert into links (from_ref, to_ref, kind) values
        ('Wells 3:1', 'Elsewhere 5:2', 'quotes'), ('Wells 4:1', 'Wells 3:1', 'comments')`,
    )
    const { links } = JSON.parse((await call('find_parallels', { ref: 'Wells 3:1' })).outcome.content)
    expect(links).toEqual([
      { ref: 'Wells 4:1', kind: 'comments', direction: 'from', in_library: true },
      { ref: 'Elsewhere 5:2', kind: 'quotes', direction: 'to', in_library: false },
    ])
  })
})
