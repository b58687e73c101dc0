import { type Case, encoded, headerText, headSizes, type Step, type WireRequest } from './case.ts'
import { headerKinds, textKinds } from './text-kinds.ts'

/**
 * Cases for the parts before the body.
 * @param parts names of the parameters and headers to fill; for `path` also the path, with `{}` in place of the value.
 */
export function headCases(
  subject: string,
  plain: WireRequest,
  parts: {
    readonly path: readonly (readonly [name: string, template: string])[]
    readonly query: readonly string[]
    readonly headers: readonly string[]
  },
  as: Step['as'] = 'key',
): readonly Case[] {
  const made = (
    part: string,
    request: (text: string, bytes: number) => WireRequest,
    kinds = textKinds,
  ): readonly Case[] =>
    kinds.map((kind) => ({
      subject,
      part: as === 'nobody' ? `${part} without a session` : part,
      kind: kind.name,
      sizes: headSizes,
      step: (bytes) => ({ subject, as, request: request(kind.text({ bytes }), bytes) }),
    }))
  const joint = plain.path.includes('?') ? '&' : '?'
  return [
    ...parts.path.flatMap(([name, template]) =>
      made(`path ${name}`, (text, bytes) => ({
        ...plain,
        path: template.replace('{}', encoded(text, bytes)),
      })),
    ),
    ...parts.query.flatMap((name) =>
      made(`query ${name}`, (text, bytes) => ({
        ...plain,
        path: `${plain.path}${joint}${name}=${encoded(text, bytes)}`,
      })),
    ),
    ...manyOf(subject, plain, as),
    ...parts.headers.flatMap((name) =>
      made(
        `header ${name}`,
        (text, bytes) => ({
          ...plain,
          headers: { ...plain.headers, [name]: headerText(text, bytes) },
        }),
        headerKinds,
      ),
    ),
  ]
}

/** Many parameters and many cookies. */
function manyOf(subject: string, plain: WireRequest, as: Step['as']): readonly Case[] {
  const many = (part: string, kind: string, request: (bytes: number) => WireRequest): Case => ({
    subject,
    part,
    kind,
    sizes: headSizes,
    step: (bytes) => ({ subject, as, request: request(bytes) }),
  })
  const query = (piece: string) => (bytes: number) => ({
    ...plain,
    path: `${plain.path}?${piece.repeat(Math.floor(bytes / piece.length))}`,
  })
  return [
    many('query', 'one name again and again', query('limit=1&')),
    many('query', 'names without values', query('a&')),
    many('query', 'brackets of names', query('a[b]')),
    many('header cookie', 'many cookies', (bytes) => ({
      ...plain,
      headers: { ...plain.headers, cookie: 'a=b; '.repeat(Math.floor(bytes / 5)).trim() },
    })),
    many('header accept', 'many types', (bytes) => ({
      ...plain,
      headers: { ...plain.headers, accept: 'text/html;q=0.1,'.repeat(Math.floor(bytes / 16)) },
    })),
  ]
}
