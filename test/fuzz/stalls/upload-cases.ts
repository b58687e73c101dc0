import { bodySizes, type Case, type Step, type WireReply } from './case.ts'
import { documentKinds } from './document-kinds.ts'
import type { Things } from './things.ts'

const boundary = 'stalls'
const close = `\r\n--${boundary}--\r\n`
const field = (name: string, value: string) =>
  `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
const fileHead = (filename: string, more = '') =>
  `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${filename}"${more}\r\n\r\n`

/** Bodies that are expensive for a parser of multipart forms. */
const shapes: Readonly<Record<string, (bytes: number) => string>> = {
  'many fields': (bytes) => field('a', '').repeat(bytes / 60),
  'one field again and again': (bytes) => field('project_id', 'x').repeat(bytes / 70),
  'long field': (bytes) => field('purpose', 'x'.repeat(bytes)),
  'long name of a field': (bytes) => field('x'.repeat(bytes), 'x'),
  'long name of a file': (bytes) => `${fileHead('é'.repeat(bytes / 2))}text`,
  'many files': (bytes) => `${fileHead('a.txt')}x\r\n`.repeat(bytes / 80),
  'many headers of a part': (bytes) => `${fileHead('a.txt', '\r\nx: y'.repeat(bytes / 6))}text`,
  'parameters of a header': (bytes) => `${fileHead('a.txt', '; a="b"'.repeat(bytes / 7))}text`,
  'lines that look like the end': (bytes) =>
    `${fileHead('a.txt')}${`\r\n--${boundary.slice(0, -1)}`.repeat(bytes / 9)}`,
  'line feeds': (bytes) => `${fileHead('a.txt')}${'\r\n'.repeat(bytes / 2)}`,
  hyphens: (bytes) => `${fileHead('a.txt')}${'\r\n-'.repeat(bytes / 3)}`,
  'words before the first part': (bytes) => `${'x'.repeat(bytes)}\r\n${fileHead('a.txt')}text`,
}

/** Forms with files: their structure, and the content of the file, which pages and tools read afterwards. */
export function uploadCases(
  subject: string,
  method: string,
  path: string,
  as: Step['as'],
  things: Things,
): readonly Case[] {
  const headers = {
    'content-type': `multipart/form-data; boundary=${boundary}`,
    'sec-fetch-site': 'same-origin',
  }
  const send = (body: string | Buffer, more: Readonly<Record<string, string>> = {}): Step => ({
    subject,
    as,
    request: { method, path, headers: { ...headers, ...more }, body },
  })
  const shaped = Object.entries(shapes).map(
    ([kind, body]): Case => ({
      subject,
      part: 'form',
      kind,
      sizes: bodySizes,
      step: (bytes) => send(body(bytes) + close),
    }),
  )
  const long: Case = {
    subject,
    part: 'header content-type',
    kind: 'long boundary',
    sizes: [60, 70, 256, 1_000, 4_000, 14_000],
    step(bytes) {
      const long_ = 'b'.repeat(bytes)
      const body = fileHead('a.txt').replace(boundary, long_)
      return send(`${body}x\r\n--${long_}--\r\n`, {
        'content-type': `multipart/form-data; boundary=${long_}`,
      })
    },
  }
  const place = as === 'key' ? field('project_id', things.projectId) : ''
  const files = documentKinds.map(
    ({ name, filename, content }): Case => ({
      subject,
      part: `file ${filename}`,
      kind: name,
      sizes: bodySizes,
      step: (bytes) =>
        send(Buffer.concat([Buffer.from(place + fileHead(filename)), content(bytes), Buffer.from(close)])),
      next: (reply) => readings(reply, as),
    }),
  )
  return [...shaped, long, ...files]
}

/** Reads an uploaded file in all ways: pages, download, and the agent. */
function readings({ status, text, location }: WireReply, as: Step['as']): readonly Step[] {
  const id =
    as === 'key' ? /"id":\s*"(file-?_?\w+)"/.exec(text)?.[1] : /\/files\/([\w-]+)/.exec(location ?? '')?.[1]
  if (status >= 400 || id === undefined) return []
  const get = (subject: string, path: string, who: Step['as']): Step => ({
    subject,
    as: who,
    request: { method: 'GET', path },
  })
  return [
    get('page GET /files/:id', `/files/${id}`, 'visitor'),
    get('GET /v1/files/{id}/content', `/v1/files/${id}/content`, 'key'),
  ]
}
