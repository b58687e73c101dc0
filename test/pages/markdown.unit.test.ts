import { describe, expect, test } from 'vitest'
import type { CitationMark } from '../../src/web/markdown/answer-marks.ts'
import { renderMarkdown } from '../../src/web/markdown/markdown.ts'
import { showMarkdown } from '../../src/web/markdown/shown-markdown.ts'

const rendered = (text: string, citations?: ReadonlyMap<number, CitationMark>) =>
  String(renderMarkdown(text, citations && { citations }))

describe('Markdown of answers and files', () => {
  test('numbers lead to their sources, and others stay text', () => {
    const links = new Map([[1, { href: '#s1', label: 'Source 1' }]])
    const html = rendered('As it says [1][2], `[1]` and [more [1]](https://example.org).', links)
    expect(html.match(/href="#s1"/g)).toHaveLength(1)
    expect(html).toContain('[2]')
    expect(html).toContain('<code>[1]</code>')
  })

  test('a definition of a link cannot give a number another meaning', () => {
    const html = rendered(
      'LogPage [1].\n\n[1]: https://elsewhere.example',
      new Map([[1, { href: '#s1', label: 'Source 1' }]]),
    )
    expect(html).not.toContain('href="https://elsewhere.example"')
  })

  test.each([
    ['markup', '<b onclick="x()">a</b>', /<b/],
    ['a script', '<script>x()</script>', /<script/],
    ['an image', '![a](https://elsewhere.example/a.png)', /<img|href/],
    ['a link that runs', '[a](javascript:x())', /href/],
    [
      'a disguised link that runs',
      '[a](&#106;avascript&#58;x()) [b](JaVaScRiPt:x()) [c](\u0001javascript:x())',
      /href/,
    ],
    ['a link to data', '[a](data:text/html,x)', /href/],
    ['a link within the service', '[a](/signout)', /href/],
    ['an attribute in an address', '<https://example.org/"onclick="x()>', /"onclick/],
    ['an attribute in a title', '[a](https://example.org "x" onclick="y")', /onclick="y"[^;]/],
    ['the language of a code block', '```"><script>\nx\n```', /<script/],
  ])('%s is not rendered', (_, text, forbidden) => {
    expect(rendered(text)).not.toMatch(forbidden)
  })

  test('quotations, lists and tables run in the direction of most of their letters', () => {
    expect(rendered('> נר קטן')).toContain('<blockquote dir="rtl" lang="he">')
    expect(rendered('> a small lamp')).toContain('<blockquote dir="ltr">')
    expect(rendered('- נר\n- אור')).toContain('<ul dir="rtl">')
    expect(rendered('| נר | אור |\n|--|--|\n| א | ב |')).toContain('<div class="scroll" dir="rtl">')
    expect(rendered('| rank | deeds |\n|--|--|\n| first | many |')).toContain(
      '<div class="scroll" dir="ltr">',
    )
    expect(rendered('- lamp')).toContain('<ul dir="ltr">')
  })
})

describe('Markdown that is made to be large', () => {
  const wide = (columns: number, rows: number) =>
    `${'|a'.repeat(columns)}|\n${'|-'.repeat(columns)}|\n${'|\n'.repeat(rows)}`

  test.each([
    ['one wide table of many rows', wide(300, 4_400)],
    ['many tables', `${wide(30, 60)}\n`.repeat(40)],
    ['quotations within quotations', `${'>'.repeat(2_000)} a\n`.repeat(5)],
    ['lists and quotations in turns', '- a\n\n> b\n\n'.repeat(900)],
    ['numbers that all lead somewhere', '[1]'.repeat(3_300)],
  ])('is at most 40 times as long as markup: %s', (_, text) => {
    expect(rendered(text, new Map([[1, { href: '#s1', label: 'Source 1' }]])).length).toBeLessThan(
      40 * text.length,
    )
  })

  test('a table with too many cells is shown as it was written, and what follows as Markdown', () => {
    const html = rendered(`${wide(300, 100)}\n*after*`)
    expect(html).not.toContain('<table>')
    expect(html).toContain('|-|-')
    expect(html).toContain('<em>after</em>')
  })

  test('a table of a hundred rows is a table', () => {
    expect(rendered(wide(8, 100)).match(/<tr>/g)).toHaveLength(101)
  })

  test('a long text is rendered in a thread to the same markup', async () => {
    const text = 'As it *says* [1].\n\n'.repeat(400)
    const links = new Map([[1, { href: '#s1', label: 'Source 1' }]])
    expect(String(await showMarkdown(text, { citations: links }))).toBe(rendered(text, links))
  })

  test('a text that is too long is shown as it was written', async () => {
    const html = String(await showMarkdown('<b> *x* '.repeat(10_000)))
    expect(html).toContain('&lt;b&gt; *x*')
    expect(html).not.toContain('<em>')
  })
})

test('headings begin below those of the page and leave no level out', () => {
  const levels = (text: string) => [...`${renderMarkdown(text)}`.matchAll(/<(h\d)/g)].map(([, tag]) => tag)
  expect(levels('#### a\n\n## b\n\n###### c\n\n## d\n\n# e')).toEqual(['h3', 'h3', 'h4', 'h3', 'h3'])
  expect(levels('# a\n\n### b\n\n##### c\n\n## d')).toEqual(['h3', 'h4', 'h5', 'h4'])
})

test('a text above 50,000 characters is rendered in parts, with its code, marks and order of headings', async () => {
  const chapter = `### Part\n\n${'Some words of a paragraph. '.repeat(20)}\n\n\`\`\`\nlet x = 1\n\n# no heading\n\`\`\`\n\n`
  const text = `# Title\n\n${chapter.repeat(120)}It says “the last words of all” [1].`
  expect(text.length).toBeGreaterThan(60_000)
  const markup = `${await showMarkdown(text, {
    citations: new Map([[1, { href: '#s1', label: 'Source 1' }]]),
    quotations: [{ quote: 'the last words of all', kind: 'verbatim', label: 'word for word' }],
  })}`
  expect(markup.match(/<h4 /g)).toHaveLength(120)
  expect(markup.match(/<pre>/g)).toHaveLength(120)
  expect(markup).toContain('href="#s1"')
  expect(markup).toContain('class="quoted verbatim"')
  expect(markup).not.toContain('preview-text')
})

test('a link to the library stays a link, and one to another page of the service is text', () => {
  const markup = `${renderMarkdown('[a](/library/read/Gate%201) [b](/settings/keys) [c](//example.org/library/)')}`
  expect(markup).toContain('href="/library/read/Gate%201"')
  expect(markup.match(/href=/g)).toHaveLength(1)
})

test('a Hebrew quotation of an English sentence is isolated, so that its number stays at the end', () => {
  const quotations = [{ quote: 'נר קטן', kind: 'verbatim', label: 'word for word', sign: '✓' }] as const
  expect(`${renderMarkdown('It begins “נר קטן” [1].', { quotations })}`).toContain(
    '<bdi class="quoted verbatim">נר קטן</bdi>”',
  )
  expect(`${renderMarkdown('נאמר “נר קטן” [1].', { quotations })}`).toContain(
    '<span class="quoted verbatim">',
  )
})
