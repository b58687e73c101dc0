import fc from 'fast-check'
import { parseDocument } from 'htmlparser2'
import { describe, expect, test } from 'vitest'
import { LiveMarkdown } from '../../src/web/markdown/live-markdown.ts'
import { showMarkdown } from '../../src/web/markdown/shown-markdown.ts'
import { times } from '../support/full.ts'

/** Pieces whose meaning depends on what follows them. */
const pieces = fc.constantFrom(
  'words ',
  '\n',
  '\n\n',
  '#',
  '# ',
  '-',
  '- ',
  '---',
  '=',
  '===',
  '>',
  '> ',
  '1. ',
  '  ',
  '    ',
  '```',
  '```\n',
  '|',
  '| a | b |\n',
  '|--|--|\n',
  '**',
  '*',
  '`',
  '[1]',
  '[',
  '](https://example.org)',
  '\\',
  'נר ',
  '\r\n',
  '\t',
  '1)',
  '+',
  '***',
)
const texts = fc.array(pieces, { maxLength: 30 })
const citations = new Map([[1, { href: '#s1', label: 'Source 1' }]])

async function grown(parts: readonly string[]): Promise<readonly string[]> {
  const live = new LiveMarkdown()
  let text = ''
  let blocks: readonly string[] | undefined = []
  for (const part of parts) {
    text += part
    blocks = await live.render(text, citations)
  }
  return blocks ?? []
}

describe('an answer that is rendered while it grows', () => {
  test('has the same markup at its end as the whole text', async () => {
    await fc.assert(
      fc.asyncProperty(texts, async (parts) => {
        const whole = String(await showMarkdown(parts.join(''), { citations }))
        expect((await grown(parts)).join('')).toBe(whole)
      }),
      { numRuns: times(400, 2_000) },
    )
  })

  test('keeps every block that two later blocks follow', async () => {
    await fc.assert(
      fc.asyncProperty(texts, async (parts) => {
        const live = new LiveMarkdown()
        let text = ''
        let settled: readonly string[] = []
        for (const part of parts) {
          text += part
          const blocks = (await live.render(text, citations)) ?? []
          expect(blocks.slice(0, settled.length)).toEqual(settled)
          settled = text.endsWith('\n') ? blocks.slice(0, -1) : settled
        }
      }),
      { numRuns: times(200, 1_000) },
    )
  })

  test('gives one element per block', async () => {
    await fc.assert(
      fc.asyncProperty(texts, async (parts) => {
        for (const markup of await grown(parts)) {
          const nodes = parseDocument(markup).children.filter(
            (node) => node.type !== 'text' || node.data.trim() !== '',
          )
          expect(nodes.map(({ type }) => type)).toEqual(['tag'])
        }
      }),
      { numRuns: times(200, 1_000) },
    )
  })

  test('sends a text above 50,000 characters on block by block, as its whole is rendered', async () => {
    const live = new LiveMarkdown()
    const paragraph = `## Part\n\n${'Some words of a paragraph. '.repeat(100)}\n\n`
    let text = ''
    let before: readonly string[] = []
    while (text.length < 60_000) {
      text += paragraph
      const blocks = (await live.render(text, citations)) ?? []
      expect(blocks.slice(0, Math.max(before.length - 1, 0))).toEqual(before.slice(0, -1))
      before = blocks
    }
    expect(before.join('')).toBe(String(await showMarkdown(text, { citations })))
  })

  test('begins again when an earlier part was taken back', async () => {
    const live = new LiveMarkdown()
    await live.render('One.\n\nTwo.\n\nThree.', citations)
    expect(await live.render('Other.\n\nTwo.', citations)).toEqual([
      '<p dir="auto">Other.</p>\n',
      '<p dir="auto">Two.</p>\n',
    ])
  })
})
