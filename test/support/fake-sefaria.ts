import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { close, listenAt } from './loopback.ts'

/** Files of an export by path. Strings are written unchanged, other values as JSON. */
export type ExportFiles = Readonly<Record<string, unknown>>

type VersionFields = {
  readonly title: string
  readonly heTitle?: string
  readonly versionTitle: string
  readonly language?: 'he' | 'en'
  readonly license?: string
  readonly text: unknown
  readonly [field: string]: unknown
}

const categories = ['Chasidut', 'Made Up']

/** One file of a version, at the path that the exporter uses. */
export function versionFile(fields: VersionFields): ExportFiles {
  const language = fields.language ?? 'en'
  const folder = language === 'he' ? 'Hebrew' : 'English'
  const name = fields.versionTitle.replace(/[/:()<>"|?*\\]/g, '')
  return {
    [`json/${categories.join('/')}/${fields.title}/${folder}/${name}.json`]: {
      language,
      actualLanguage: language,
      direction: language === 'he' ? 'rtl' : 'ltr',
      categories,
      ...fields,
    },
  }
}

const primary = (en: string, he: string) => [
  { lang: 'en', text: en, primary: true },
  { lang: 'he', text: he, primary: true },
]

export function leaf(title: string, heTitle: string, addressTypes: readonly string[]): object {
  return {
    nodeType: 'JaggedArrayNode',
    depth: addressTypes.length,
    addressTypes,
    sectionNames: addressTypes.map((type) => (type === 'Talmud' ? 'Daf' : 'Paragraph')),
    title,
    heTitle,
    ...(title === '' ? { default: true, key: 'default' } : { titles: primary(title, heTitle), key: title }),
  }
}

/** The schema file of a work. */
export function schemaFile(title: string, heTitle: string, schema: object, others: object = {}): ExportFiles {
  return {
    [`schemas/${title.replaceAll(' ', '_')}.json`]: {
      title,
      heTitle,
      categories,
      schema: { ...schema, title, heTitle, titles: primary(title, heTitle), key: title },
      authors: [{ en: 'Rivka of Nowhere', he: 'רבקה' }],
      titleVariants: [title],
      ...others,
    },
  }
}

/** Content of the fake bucket and of test folders: invented texts in the real formats. */
export const sampleExport: ExportFiles = {
  ...versionFile({
    title: 'Lamp of Dawn',
    heTitle: 'נר השחר',
    versionTitle: 'First Print (Nowhere, 1901)',
    language: 'he',
    license: 'Public Domain',
    sectionNames: ['Chapter', 'Paragraph'],
    text: [
      ['<b>הַנֵּר</b> דולק בחלון', '<i data-overlay="Pages" data-value="[ב]"></i> והשמש עולה'],
      [],
      ['', 'מי שמחכה לבוקר<br>רואה אור'],
    ],
  }),
  ...versionFile({
    title: 'Lamp of Dawn',
    heTitle: 'נר השחר',
    versionTitle: 'Community Translation',
    license: 'CC-BY',
    sectionNames: ['Chapter', 'Paragraph'],
    text: [
      [
        'The lamp burns<sup class="footnote-marker">1</sup><i class="footnote">See <i>Window</i> 2a, <i>there</i>.</i> in the window',
        '',
      ],
      ['<big><strong>Between</big></strong> night &amp; day'],
    ],
  }),
  ...versionFile({
    title: 'Lamp of Dawn',
    versionTitle: 'Open Torah Ai',
    license: 'CC0',
    sectionNames: ['Chapter', 'Paragraph'],
    text: [['A lamp is burning in a window.']],
  }),
  ...versionFile({
    title: 'Lamp of Dawn',
    versionTitle: 'Press Translation',
    license: 'CC-BY-NC',
    sectionNames: ['Chapter', 'Paragraph'],
    text: [['The lamp, lit.']],
  }),
  ...versionFile({
    title: 'Lamp of Dawn',
    versionTitle: 'La luz en español',
    sectionNames: ['Chapter', 'Paragraph'],
    text: [
      ['La luz de los días que pasan por el mundo y las noches del alma con una voz que espera en su casa'],
    ],
  }),
  [`json/${categories.join('/')}/Lamp of Dawn/English/merged.json`]: {
    title: 'Lamp of Dawn',
    language: 'en',
    versionTitle: 'merged',
    sectionNames: ['Chapter', 'Paragraph'],
    text: [['merged text']],
  },
  ...versionFile({
    title: 'Gates of Song',
    heTitle: 'שערי זמר',
    versionTitle: 'Manuscript',
    language: 'he',
    license: 'CC0',
    text: {
      Introduction: ['פתיחה קצרה'],
      '': [[['א א א', 'א א ב']], [], [['ג א א'], ['ג ב א']]],
      'Part II': { Letters: [['מכתב ראשון']], '': [[['תנינא ראשון']]] },
    },
  }),
  ...schemaFile('Gates of Song', 'שערי זמר', {
    nodes: [
      leaf('Introduction', 'הקדמה', ['Integer']),
      leaf('', '', ['Integer', 'Integer', 'Integer']),
      {
        title: 'Part II',
        heTitle: 'תנינא',
        nodes: [
          leaf('Letters', 'מכתבים', ['Integer', 'Integer']),
          leaf('', '', ['Integer', 'Integer', 'Integer']),
        ],
      },
    ],
  }),
  ...versionFile({
    title: 'Tractate Window',
    heTitle: 'מסכת חלון',
    versionTitle: 'Study Edition',
    license: 'CC-BY-SA',
    text: [[], [], ['First line of the first side', 'Second line'], ['Other side']],
  }),
  ...schemaFile('Tractate Window', 'מסכת חלון', leaf('Tractate Window', 'מסכת חלון', ['Talmud', 'Integer'])),
  ...versionFile({
    title: 'Columns',
    heTitle: 'עמודים',
    versionTitle: 'Study Edition',
    license: 'CC0',
    text: [[], [], [], [], ['col a'], ['col b'], ['col c'], ['col d']],
  }),
  ...schemaFile('Columns', 'עמודים', leaf('Columns', 'עמודים', ['Folio', 'Integer'])),
  ...versionFile({
    title: 'Window Glosses',
    versionTitle: 'Only Edition',
    license: 'CC0',
    sectionNames: ['Daf', 'Line', 'Comment'],
    text: [[], [], [['gloss one', 'gloss two']]],
  }),
  'links/links0.csv': [
    'Citation 1,Citation 2,Conection Type,Text 1,Text 2,Category 1,Category 2',
    '"Lamp of Dawn 1:1","Genesis 1:1-2",Quotation,Lamp of Dawn,Genesis,Chasidut,Tanakh',
    'Exodus 3:2,Lamp of Dawn 1:1-2:1,,Exodus,Lamp of Dawn,Tanakh,Chasidut',
    'Exodus 3:2,Genesis 1:1,,Exodus,Genesis,Tanakh,Tanakh',
    '"Gates of Song, Introduction 1","Tractate Window 2a",commentary,"Gates of Song, Introduction",Tractate Window,Chasidut,Chasidut',
  ].join('\n'),
  'links/links_by_book.csv': 'Text 1,Text 2,Link Count\nLamp of Dawn,Genesis,1',
}

/** Writes the files to a folder, which `remove` deletes. */
export async function writeExport(
  files: ExportFiles,
): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'fake-sefaria-'))
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true })
    await writeFile(join(path, name), asText(content))
  }
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}

function asText(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content)
}

/** The API's reply for a ref: a section, without the fields that are equal for all. */
export type FakeSection = { readonly ref: string; readonly [field: string]: unknown }

export type FakeSefaria = {
  readonly baseUrl: string
  readonly booksUrl: string
  /** Decoded paths of all requests so far, with their user agents. */
  readonly requests: readonly { readonly path: string; readonly agent: string; readonly atMs: number }[]
  files: ExportFiles
  sections: readonly FakeSection[]
  shapes: Readonly<Record<string, readonly string[]>>
  /** The API's replies about whole works: the content of their schema files. */
  records: Readonly<Record<string, unknown>>
  /** Answers the next `times` requests whose path contains `part` with this status. */
  fail(part: string, status: number, times?: number): void
  slow(part: string, milliseconds: number): void
  /** Requests for whole files whose path contains `part` get no answer until the returned function is called. */
  hold(part: string): () => void
  close(): Promise<void>
}

type Trouble = { readonly part: string; readonly status: number; times: number }

/** A bucket with its books.json and the API v3 on loopback. */
export async function startFakeSefaria(): Promise<FakeSefaria> {
  const requests: { path: string; agent: string; atMs: number }[] = []
  const troubles: Trouble[] = []
  const delays = new Map<string, number>()
  const holds = new Map<string, Promise<void>>()
  const server = createServer((request, response) => {
    void answer(request, response)
  })
  const baseUrl = await listenAt(server)
  const fake: FakeSefaria = {
    baseUrl,
    booksUrl: `${baseUrl}/books.json`,
    requests,
    files: sampleExport,
    sections: [],
    shapes: {},
    records: {},
    fail: (part, status, times = 1) => troubles.push({ part, status, times }),
    slow: (part, milliseconds) => delays.set(part, milliseconds),
    hold(part) {
      const { promise, resolve } = Promise.withResolvers<void>()
      holds.set(part, promise)
      return () => {
        holds.delete(part)
        resolve()
      }
    },
    close: () => close(server),
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = decodeURIComponent(request.url ?? '')
    requests.push({ path, agent: request.headers['user-agent'] ?? '', atMs: performance.now() })
    await waitFor(path, request)
    const status = troubleWith(path)
    if (status !== undefined) {
      response.writeHead(status, { 'retry-after': '0' }).end('trouble')
      return
    }
    send(request, response, path.startsWith('/api/') ? apiAnswer(fake, path) : bucketAnswer(fake, path))
  }

  async function waitFor(path: string, { headers }: IncomingMessage): Promise<void> {
    for (const [part, milliseconds] of delays) if (path.includes(part)) await delay(milliseconds)
    // The beginning of a file is read before an import, the whole file during it.
    if (headers.range) return
    for (const [part, held] of holds) if (path.includes(part)) await held
  }

  function troubleWith(path: string): number | undefined {
    const trouble = troubles.find((t) => t.times > 0 && path.includes(t.part))
    if (trouble) trouble.times -= 1
    return trouble?.status
  }
  return fake
}

function send(request: IncomingMessage, response: ServerResponse, body: string | undefined): void {
  if (body === undefined) {
    response.writeHead(404).end('no such file')
    return
  }
  const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"`
  if (request.headers['if-none-match'] === etag) response.writeHead(304, { etag }).end()
  else sendBody(response, Buffer.from(body), etag, request.headers.range)
}

/** Like the real bucket, answers a range from the beginning with that part and the whole size. */
function sendBody(response: ServerResponse, body: Buffer, etag: string, range: string | undefined): void {
  const headers = { 'content-type': 'application/json', etag }
  const last = /^bytes=0-(\d+)$/.exec(range ?? '')?.[1]
  if (last === undefined) {
    response.writeHead(200, headers).end(body)
    return
  }
  const part = body.subarray(0, Number(last) + 1)
  const size = `bytes 0-${part.length - 1}/${body.length}`
  response.writeHead(206, { ...headers, 'content-range': size }).end(part)
}

function bucketAnswer(fake: FakeSefaria, path: string): string | undefined {
  if (path !== '/books.json') {
    const content = fake.files[path.slice(1)]
    return content === undefined ? undefined : asText(content)
  }
  const names = Object.keys(fake.files)
  const books = names
    .filter((name) => name.startsWith('json/'))
    .map((name) => {
      const parts = name.split('/')
      const content = fake.files[name] as { versionTitle?: string }
      return {
        title: parts.at(-3),
        language: parts.at(-2),
        versionTitle: content.versionTitle ?? parts.at(-1)?.replace('.json', ''),
        categories: parts.slice(1, -3),
        // As in the real list, spaces and commas are not encoded.
        json_url: `${fake.baseUrl}/${name}`,
      }
    })
  const special = names.filter((name) => !name.startsWith('json/'))
  return JSON.stringify({
    generated_at: 'today',
    base_url: fake.baseUrl,
    total_texts: books.length,
    special_files: special.map((name) => ({ path: name, url: `${fake.baseUrl}/${name}`, size: 1 })),
    books,
  })
}

/** Like the real API, replies with status 200 for errors too. */
function apiAnswer(fake: FakeSefaria, path: string): string {
  const shape = /^\/api\/shape\/(.*)$/.exec(path)?.[1]
  if (shape !== undefined) {
    const titles = fake.shapes[shape.replaceAll('_', ' ')]
    return JSON.stringify(titles ? titles.map((title) => ({ title, chapters: [] })) : { error: 'no shape.' })
  }
  const record = /^\/api\/v2\/index\/(.*)$/.exec(path)?.[1]
  if (record !== undefined)
    return JSON.stringify(fake.records[record.replaceAll('_', ' ')] ?? { error: 'no record.' })
  const ref = /^\/api\/v3\/texts\/(.*?)\?/
    .exec(path)?.[1]
    ?.replaceAll('_', ' ')
    .replace('.', ' ')
    .replaceAll('.', ':')
  const section =
    fake.sections.find((s) => s.ref === ref) ??
    fake.sections.find((s) => s.ref.replace(/ \d+$/, '') === ref) ??
    segmentOf(fake.sections, ref ?? '')
  return JSON.stringify(section ?? { error: `Could not find title in reference: ${ref}.` })
}

/** The API's reply for a ref one level below a section: the section's fields, and the text of the segment. */
function segmentOf(sections: readonly FakeSection[], ref: string): FakeSection | undefined {
  const [, above, digits] = /^(.*)[: ](\d+)$/.exec(ref) ?? []
  const section = sections.find((s) => s.ref === above)
  const versions = (section?.['versions'] ?? []) as readonly { readonly text?: unknown }[]
  const texts = versions.map((version) => ({
    ...version,
    text: Array.isArray(version.text) ? (version.text[Number(digits) - 1] ?? '') : '',
  }))
  if (!section || texts.every(({ text }) => text === '')) return undefined
  const sectionRef = section.ref
  return { ...section, ref, sectionRef, sections: [...(section['sections'] as []), digits], versions: texts }
}
