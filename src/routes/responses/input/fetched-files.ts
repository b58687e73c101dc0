import { invalidValue, ServiceError } from '../../../errors.ts'
import { bounds } from '../../../http/limits/bounds.ts'
import { isObject } from '../../turn-request/options.ts'

/** Time for all files of a request, in milliseconds. */
const timeoutMs = 20_000

/** Bytes of all fetched files of a request: as many as one file in `file_data` may have. */
const maxBytes = Math.floor((bounds.data.max * 3) / 4) - 1_024

type Input = string | readonly unknown[]

/**
 * The input with the files that it names by `file_url`, in `file_data`. Only hosts that the operator names are asked, and
 * redirects are not followed, because a service that fetches any address can be used to reach its own network.
 * @param hosts as in the addresses, with a port that is not the default one.
 * @throws ServiceError `invalid_value` that names the part whose file cannot be fetched.
 */
export async function withFetchedFiles(
  input: Input,
  hosts: readonly string[],
  signal: AbortSignal,
): Promise<Input> {
  if (typeof input === 'string' || !input.some((item) => partsOf(item).some(isNamed))) return input
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  const room = { files: bounds.attachedFiles.max, bytes: maxBytes }
  const items: unknown[] = []
  for (const [index, item] of input.entries()) {
    const parts: unknown[] = []
    for (const [at, part] of partsOf(item).entries()) {
      const place = `input[${index}].${fieldOf(item)}[${at}]`
      parts.push(isNamed(part) ? await fetched(part, hosts, place, limit, room) : part)
    }
    items.push(parts.length === 0 ? item : { ...(item as object), [fieldOf(item)]: parts })
  }
  return items
}

type NamedFile = { readonly type: 'input_file'; readonly file_url: string; readonly filename?: unknown }

const fieldOf = (item: unknown) => (isObject(item) && 'output' in item ? 'output' : 'content')

function partsOf(item: unknown): readonly unknown[] {
  const parts = isObject(item) ? item[fieldOf(item)] : undefined
  return Array.isArray(parts) ? parts : []
}

function isNamed(part: unknown): part is NamedFile {
  if (!isObject(part) || part['type'] !== 'input_file' || typeof part['file_url'] !== 'string') return false
  return !part['file_id'] && !part['file_data']
}

async function fetched(
  { file_url: address, ...part }: NamedFile,
  hosts: readonly string[],
  param: string,
  signal: AbortSignal,
  room: { files: number; bytes: number },
): Promise<object> {
  const refuse = (message: string) => invalidValue(message, param)
  const url = URL.parse(address)
  const isAllowed = url !== null && /^https?:$/.test(url.protocol) && hosts.includes(url.host)
  if (!isAllowed || url.username !== '') {
    const those = hosts.length === 0 ? 'this service names none' : `these are ${hosts.join(', ')}`
    throw refuse(
      `Files are fetched only from hosts that the operator names (\`FILE_URL_HOSTS\`); ${those}. Send \`file_id\`, or \`file_data\` and a \`filename\`.`,
    )
  }
  room.files -= 1
  if (room.files < 0) throw refuse(`At most ${bounds.attachedFiles.max} files can be attached to a request.`)
  const { content, type } = await read(url, signal, room, refuse)
  return {
    ...part,
    filename: typeof part.filename === 'string' && part.filename !== '' ? part.filename : nameOf(url),
    file_data: `data:${type};base64,${content.toString('base64')}`,
  }
}

/** The last part of the path. */
function nameOf({ pathname }: URL): string {
  const name = pathname.split('/').at(-1) || 'file'
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

async function read(
  url: URL,
  signal: AbortSignal,
  room: { bytes: number },
  refuse: (message: string) => ServiceError,
): Promise<{ readonly content: Buffer; readonly type: string }> {
  try {
    const reply = await fetch(url, { redirect: 'error', signal })
    if (!reply.ok) throw refuse(`The host of \`file_url\` answered with status ${reply.status}.`)
    const pieces: Uint8Array[] = []
    for await (const piece of reply.body ?? []) {
      room.bytes -= piece.length
      if (room.bytes < 0) throw refuse(`The files of \`file_url\` may have ${maxBytes} bytes together.`)
      pieces.push(piece)
    }
    const [type = ''] = (reply.headers.get('content-type') ?? '').split(';')
    return {
      content: Buffer.concat(pieces),
      type: /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : 'application/octet-stream',
    }
  } catch (fault) {
    if (fault instanceof ServiceError) throw fault
    throw refuse('The file at `file_url` could not be fetched. Redirects are not followed. Send `file_data`.')
  }
}
