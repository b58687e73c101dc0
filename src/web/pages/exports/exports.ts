import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { withTx } from '../../../db/client.ts'
import { disconnectSignal } from '../../../http/connection/disconnect.ts'
import { createWorkLimit } from '../../../http/limits/work-limits.ts'
import type { ConversationTurn } from '../../../turns/read/conversation.ts'
import type { Session } from '../../../turns/sessions/sessions.ts'
import { fileNotMade, RenderingFailed, renderSheet } from '../../../workspace/sheets/render.ts'
import type { SheetFormat, SheetLanguage } from '../../../workspace/sheets/sheet.ts'
import { languageForReader } from '../../../workspace/sheets/words.ts'
import { readFields } from '../../components/forms.ts'
import { accountsOnly } from '../../components/route-guards.ts'
import { textsIn } from '../../texts/catalogue.ts'
import { textsOf } from '../../visitors/preferences.ts'
import { nameOf } from '../ask/ask-form.ts'
import { hebrewTitlesOfSources, sourcePassages } from '../ask/library-facts.ts'
import { readWithEarlier } from '../ask/turn-extras.ts'
import { withNamedSession } from '../named-session.ts'
import type { WebServices } from '../services.ts'
import { conversationMarkdown } from './conversation-markdown.ts'
import { conversationSheet } from './conversation-sheet.ts'

/** Maximum turns of one file, the newest ones. */
const maxTurns = 50

const types = {
  md: 'text/markdown; charset=utf-8',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  pdf: 'application/pdf',
} as const

const query = z.object({ format: z.enum(['md', 'docx', 'pdf']).default('md') })

/** `/sessions/{id}/export`: a conversation with its sources as a file. */
export function exportPages(app: FastifyInstance, services: WebServices): void {
  // A file uses a processor for seconds.
  const files = createWorkLimit({
    what: 'files',
    maxRunning: 1,
    maxWaiting: 4,
    retryAfterSeconds: 5,
  })

  app.get('/sessions/:id/export', accountsOnly, async (request, reply) => {
    const { format } = readFields(query, request.query)
    const signal = disconnectSignal(reply)
    const session = await withNamedSession(services.database, request, async (_, found) => found)
    return files.run(session.accountId, signal, () =>
      sendFile(services, request, reply, { session, format, signal }),
    )
  })
}

type Wanted = {
  readonly session: Session
  readonly format: keyof typeof types
  readonly signal: AbortSignal
}

async function sendFile(
  services: WebServices,
  request: FastifyRequest,
  reply: FastifyReply,
  { session, format, signal }: Wanted,
): Promise<FastifyReply> {
  const turns = await withTx(services.database, session, (tx) =>
    readWithEarlier(services, tx, session.id, { limit: maxTurns }),
  )
  const ended = turns.filter(({ end }) => end !== undefined)
  const name = nameOf(textsOf(request), session)
  const t = textsIn(languageForReader(name, textsOf(request).language))
  const content =
    format === 'md'
      ? conversationMarkdown(t, name, ended)
      : await rendered(services, name, ended, {
          format,
          language: t.language,
          signal,
          owner: session.accountId,
        })
  return reply.type(types[format]).header('content-disposition', attachment(name, format)).send(content)
}

/** @throws ServiceError `overloaded` if the file could not be made. */
async function rendered(
  { library }: WebServices,
  name: string,
  turns: readonly ConversationTurn[],
  file: {
    readonly format: SheetFormat
    readonly language: SheetLanguage
    readonly signal: AbortSignal
    readonly owner: string
  },
): Promise<Buffer | undefined> {
  const { format, language, signal, owner } = file
  const passages = await sourcePassages(library, turns)
  const heWorks = language === 'he' ? await hebrewTitlesOfSources(library, turns) : new Map()
  const sheet = conversationSheet(name, turns, passages, { language, heWorks })
  try {
    const [made] = await renderSheet(sheet, [format], signal, owner)
    return made?.content
  } catch (error) {
    throw error instanceof RenderingFailed ? fileNotMade(error) : error
  }
}

/** RFC 6266: a name in ASCII, and the real one in UTF-8. */
function attachment(name: string, format: string): string {
  const safe = [...name.replace(/[\p{Cc}/\\:*?"<>|]/gu, ' ').trim()].slice(0, 80).join('').toWellFormed()
  const encoded = encodeURIComponent(`${safe}.${format}`).replaceAll("'", '%27')
  return `attachment; filename="conversation.${format}"; filename*=UTF-8''${encoded}`
}
