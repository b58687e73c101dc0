import { existsSync } from 'node:fs'
import { glob, readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'

const pages = new Map<string, string>()
for await (const file of glob(['*.md', 'docs/**/*.md', 'src/**/README.md'])) {
  pages.set(file, await readFile(file, 'utf8'))
}

const withoutCode = (text: string) => text.replace(/^```.*?^```/gms, '')

/** The ids that GitHub gives to the headings of a page. */
function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>()
  for (const [, heading = ''] of withoutCode(text).matchAll(/^#+ (.*)$/gm)) {
    const words = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase()
    const base = words.replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '').replaceAll(' ', '-')
    let anchor = base
    for (let n = 1; anchors.has(anchor); n += 1) anchor = `${base}-${n}`
    anchors.add(anchor)
  }
  return anchors
}

/** What a link misses; undefined when it leads somewhere. */
function missing(from: string, link: string): string | undefined {
  const [file = '', anchor] = link.split('#')
  const target = file === '' ? from : path.join(path.dirname(from), file)
  if (!existsSync(target)) return `${from}: no file ${link}`
  const text = pages.get(target)
  if (anchor === undefined || text === undefined || anchorsOf(text).has(anchor)) return undefined
  return `${from}: no heading ${link}`
}

function linksOf(text: string): readonly string[] {
  const targets = [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
  return targets.filter((link) => !/^[a-z]+:/.test(link))
}

test('every relative link of a page leads to a file and a heading', () => {
  const links = [...pages].flatMap(([from, text]) => linksOf(text).map((link) => missing(from, link)))
  expect(links.length).toBeGreaterThan(200)
  expect(links.filter((fault) => fault !== undefined)).toEqual([])
})

test('docs/README.md lists every page of docs', () => {
  const listed = linksOf(pages.get('docs/README.md') ?? '').map((link) => path.join('docs', link))
  const isPage = (file: string) => file.startsWith('docs/') && !/^docs\/(README|decisions\/\d)/.test(file)
  expect([...pages.keys()].filter((file) => isPage(file) && !listed.includes(file))).toEqual([])
})

test('docs/decisions/README.md lists every record under its number and title', () => {
  const records = [...pages].filter(([file]) => /^docs\/decisions\/\d{4}-/.test(file))
  const rows = records.map(([file, text]) => {
    const [, number, title] = /^# (\d+)\. (.*)$/m.exec(text) ?? []
    return { number: Number(number), row: `- ${number}: [${title}](${path.basename(file)})` }
  })
  const index = pages.get('docs/decisions/README.md') ?? ''
  expect(rows.filter(({ row }) => !index.includes(row))).toEqual([])
  expect(rows.map(({ number, row }) => row.includes(`(${String(number).padStart(4, '0')}-`))).not.toContain(
    false,
  )
  expect(index.match(/^- \d+: /gm)).toHaveLength(new Set(rows.map(({ number }) => number)).size)
})

test.each([
  ['docs/guarantees.md', 50],
  ['SECURITY.md', 30],
])('%s names tests that exist', async (page, min) => {
  const text = pages.get(page) ?? (await readFile(page, 'utf8'))
  const tests = (await Array.fromAsync(glob('test/**/*.test.ts'))).map((file) =>
    file.replace(/^test\/|\.\w+\.test\.ts$/g, ''),
  )
  const features = new Set(tests.map((name) => name.split('/')[0]))
  const named = [...text.matchAll(/`([a-z]+(?:\/[a-z0-9-]+)+)`/g)]
    .map(([, name = '']) => name)
    .filter((name) => features.has(name.split('/')[0]))
  expect(named.length).toBeGreaterThan(min)
  expect(named.filter((name) => !tests.includes(name))).toEqual([])
})
