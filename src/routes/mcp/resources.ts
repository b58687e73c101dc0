import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceTemplate,
} from '@modelcontextprotocol/server'
import { notFound, ServiceError } from '../../errors.ts'
import type { Logger } from '../../log.ts'
import { findWork, listVersions, tableOfContents } from '../../sources/library/catalogue.ts'
import { listWorks } from '../../sources/library/passages.ts'
import type { Caller } from './caller.ts'
import { readDocument } from './library-tools.ts'
import { publicMessage } from './tool-result.ts'

/** Works listed as resources. `list_works` has the rest. */
const maxListed = 500

const workUri = (title: string) => `library://work/${encodeURIComponent(title)}`

/** Registers works and passages as resources, by title and ref. */
export function registerResources(server: McpServer, caller: Caller): void {
  const { services } = caller
  const works = new ResourceTemplate('library://work/{title}', {
    list: async () => ({ resources: await listedWorks(caller) }),
    complete: { title: (begun) => titlesLike(caller, begun) },
  })
  server.registerResource(
    'work',
    works,
    {
      title: 'A work of the library',
      description: 'Its author, versions with licences, and table of contents',
      mimeType: 'application/json',
    },
    (uri, { title }) =>
      resourceFailure(services.log, async () => ({
        contents: [
          {
            uri: uri.href,
            mimeType: 'application/json',
            text: JSON.stringify(await describeWork(caller, decoded(title))),
          },
        ],
      })),
  )
  server.registerResource(
    'passage',
    new ResourceTemplate('library://passage/{ref}', { list: undefined }),
    {
      title: 'A passage of the library',
      description: 'What stands at a ref, in every version',
      mimeType: 'text/plain',
    },
    (uri, { ref }) =>
      resourceFailure(services.log, async () => {
        const { text } = await readDocument(caller, decoded(ref))
        return { contents: [{ uri: uri.href, mimeType: 'text/plain', text }] }
      }),
  )
}

async function listedWorks({ services }: Caller) {
  const works = await listWorks(services.library.system, { limit: maxListed })
  return works.map(({ title, heTitle, author }) => ({
    uri: workUri(title),
    name: title,
    title: heTitle === '' ? title : `${title} · ${heTitle}`,
    mimeType: 'application/json',
    ...(author !== '' && { description: author }),
  }))
}

/** The specification allows 100 suggestions at most. */
async function titlesLike({ services }: Caller, begun: string): Promise<string[]> {
  const works = await listWorks(services.library.system, { limit: 10_000 })
  const wanted = begun.toLowerCase()
  return works
    .map(({ title }) => title)
    .filter((title) => title.toLowerCase().includes(wanted))
    .slice(0, 100)
}

async function describeWork({ services }: Caller, title: string): Promise<object> {
  const executor = services.library.system
  const work = await findWork(executor, title)
  if (!work) throw notFound()
  const versions = await listVersions(executor, work.id)
  const parts = await tableOfContents(executor, work.id)
  const { id: _, ...facts } = work
  return { ...facts, versions, parts }
}

function decoded(variable: string | string[] | undefined): string {
  const text = Array.isArray(variable) ? variable.join(',') : (variable ?? '')
  try {
    return decodeURIComponent(text).replaceAll('\0', '')
  } catch {
    return text
  }
}

/**
 * Reads a resource. What does not exist is an error of the parameters, as revision 2026-07-28 has it.
 * @throws ProtocolError with a public message.
 */
export async function resourceFailure(
  log: Pick<Logger, 'error'>,
  read: () => Promise<ReadResourceResult>,
): Promise<ReadResourceResult> {
  try {
    return await read()
  } catch (error) {
    const code =
      error instanceof ServiceError && error.code === 'not_found'
        ? ProtocolErrorCode.InvalidParams
        : ProtocolErrorCode.InternalError
    throw new ProtocolError(code, publicMessage(log, 'resource', error))
  }
}
