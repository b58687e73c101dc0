import { deflateSync } from 'node:zlib'
import { makeDocx, makePdfOfContents, makeZip, paragraph } from '../../support/documents.ts'
import type { TextKind } from './kinds.ts'
import { textKinds } from './text-kinds.ts'

/** Content of a file that is expensive to read, at any size. */
export type DocumentKind = {
  readonly name: string
  readonly filename: string
  readonly content: (bytes: number) => Buffer
}

const kind = (name: string, filename: string, content: (bytes: number) => string | Buffer): DocumentKind => ({
  name,
  filename,
  content: (bytes) => Buffer.from(content(bytes) as string),
})

const shown =
  (filename: string) =>
  (text: TextKind): DocumentKind =>
    kind(text.name, filename, (bytes) => text.text({ bytes }))

/** Content that does not match its file name, or that expands. */
const hostile: readonly DocumentKind[] = [
  kind('HTML tables in tables', 'a.html', (bytes) => `<html>${'<table><tr><td>'.repeat(bytes / 15)}`),
  kind('HTML lists in lists', 'a.html', (bytes) => `<html>${'<ul><li>a'.repeat(bytes / 9)}`),
  kind('HTML attributes', 'a.html', (bytes) => `<html><p ${'a=b '.repeat(bytes / 4)}>`),
  kind('HTML entities', 'a.html', (bytes) => `<html>${'&amp;'.repeat(bytes / 5)}`),
  kind('lines of a page', 'a.pdf', (bytes) =>
    makePdfOfContents([`BT /F1 9 Tf ${'(a b) Tj 0 -9 Td '.repeat(bytes / 17)} ET`]),
  ),
  kind('pages', 'a.pdf', (bytes) =>
    makePdfOfContents(Array.from({ length: Math.max(1, bytes / 400) }, () => 'BT /F1 9 Tf (a) Tj ET')),
  ),
  kind('PDF that swells', 'a.pdf', (bytes) => {
    const stream = deflateSync(Buffer.alloc(Math.min(bytes * 200, 50_000_000), 'q Q '))
    const head = `%PDF-1.4\n1 0 obj <</Length ${stream.length}/Filter/FlateDecode>> stream\n`
    return Buffer.concat([
      Buffer.from(head),
      stream,
      Buffer.from('\nendstream endobj\ntrailer <</Root 1 0 R>>'),
    ])
  }),
  kind('signs that begin PDF objects', 'a.pdf', (bytes) => `%PDF-1.4\n${'1 0 obj <<'.repeat(bytes / 10)}`),
  kind('paragraphs', 'a.docx', (bytes) => makeDocx(paragraph('a').repeat(Math.max(1, bytes / 40)))),
  kind('long paragraph', 'a.docx', (bytes) => makeDocx(paragraph('ab '.repeat(bytes * 3)))),
  kind('elements in elements', 'a.docx', (bytes) => makeDocx('<w:p>'.repeat(bytes / 5))),
  kind('entries of an archive', 'a.docx', (bytes) =>
    makeZip(
      Array.from({ length: Math.max(1, Math.min(9_000, bytes / 100)) }, (_, n) => ({
        name: `f${n}`,
        content: Buffer.from(''),
      })),
    ),
  ),
]

/** Files as people send them, and hostile ones. */
export const documentKinds: readonly DocumentKind[] = [
  ...hostile,
  ...textKinds.map(shown('a.md')),
  ...textKinds.map(shown('a.txt')),
  ...textKinds.map(shown('a.html')),
  ...textKinds.map(shown('a.csv')),
]
