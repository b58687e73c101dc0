import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Claim, misfits, type OfficialType } from '../../support/official-types.ts'
import { dataOf } from '../../support/openapi-reader.ts'

/**
 * Records the replies of the chat and responses routes, to compare them with the published schemas. Equal forms with other
 * words are kept once.
 */
export class RecordedReplies {
  readonly #claims = new Map<string, Claim>()

  listenTo(server: Server): void {
    server.on('request', (request: IncomingMessage, reply: ServerResponse) => {
      const url = request.url ?? ''
      const isChat = url.startsWith('/v1/chat/completions')
      if (!isChat && !/^\/v1\/responses(\/resp_\w+)?(\?|$)/.test(url)) return
      if (request.method === 'DELETE') return
      const pieces: Buffer[] = []
      const note = (piece: unknown) => {
        if (typeof piece === 'string' || piece instanceof Uint8Array)
          pieces.push(Buffer.from(piece as string))
      }
      for (const name of ['write', 'end'] as const) {
        const original = reply[name].bind(reply) as (...args: unknown[]) => unknown
        Object.assign(reply, {
          [name]: (...args: unknown[]) => {
            note(args[0])
            return original(...args)
          },
        })
      }
      // A reply that was cut off may end within a line.
      reply.on('finish', () => this.#read(isChat, reply, Buffer.concat(pieces).toString()))
    })
  }

  #read(isChat: boolean, { statusCode }: ServerResponse, text: string): void {
    if (/^(data|event|:)/.test(text)) {
      for (const data of dataOf(text)) this.#add(eventType(isChat, data), data)
    } else if (text.trim() !== '') {
      this.#add(statusCode >= 400 ? 'error' : wholeType(isChat), JSON.parse(text))
    }
  }

  #add(type: OfficialType, value: unknown): void {
    this.#claims.set(type + formOf(value), { what: 'a recorded reply', type, value })
  }

  /** What the types of the `openai` package and the schemas of OpenRouter's client refuse. */
  async faults(): Promise<readonly string[]> {
    const claims = [...this.#claims.values()]
    const official = claims.length === 0 ? [] : await misfits(claims)
    return [...official, ...(await schemaFaults(claims))]
  }
}

const wholeType = (isChat: boolean) => (isChat ? 'completion' : 'response')

function eventType(isChat: boolean, data: object): OfficialType {
  if (!isChat) return 'responseEvent'
  return 'error' in data ? 'error' : 'chunk'
}

/** A value with its numbers and sentences replaced, so that only its form and its names are left. */
function formOf(value: unknown): string {
  return JSON.stringify(value, (_, one) => {
    if (typeof one === 'number') return 0
    return typeof one === 'string' && !/^[a-z_.]{1,60}$/.test(one) ? 'x' : one
  })
}

/** The schema of each type in `@openrouter/sdk`, which is generated from a description that contains Open Responses. */
const schemas: Partial<Record<OfficialType, readonly [file: string, name: string]>> = {
  completion: ['chatresult', 'ChatResult'],
  chunk: ['chatstreamchunk', 'ChatStreamChunk'],
  response: ['openresponsesresult', 'OpenResponsesResult'],
  responseEvent: ['streamevents', 'StreamEvents'],
}

type Schema = {
  safeParse(value: unknown): { readonly success: boolean; readonly error?: { readonly message: string } }
}

async function schemaFaults(claims: readonly Claim[]): Promise<readonly string[]> {
  const faults: string[] = []
  for (const [type, [file, name]] of Object.entries(schemas)) {
    const models = path.join(import.meta.dirname, '../openrouter/node_modules/@openrouter/sdk/esm/models')
    const module: Record<string, Schema> = await import(pathToFileURL(path.join(models, `${file}.js`)).href)
    const schema = module[`${name}$inboundSchema`]
    if (!schema) throw new Error(`@openrouter/sdk has no schema ${name}`)
    for (const { type: claimed, value } of claims) {
      if (claimed !== type) continue
      const { success, error } = schema.safeParse(value)
      if (!success) faults.push(`${name}: ${error?.message} in ${JSON.stringify(value).slice(0, 500)}`)
    }
  }
  return faults
}
