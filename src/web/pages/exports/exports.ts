import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { withTx } from '../../../db/client.ts'
import type { LibraryDatabase } from '../../../db/library/library-database.ts'
import { disconnectSignal } from '../../../http/connection/disconnect.ts'
import { createWorkLimit } from '../../../http/limits/work-limits.ts'
import { originOf } from '../../../http/origin.ts'
import { type ConversationTurn, readTurns } from '../../../turns/read/conversation.ts'
import { branchPlace } from '../../../turns/sessions/branches.ts'
import type { Session } from '../../../turns/sessions/sessions.ts'
import { fileNotMade, RenderingFailed, renderSheet } from '../../../workspace/sheets/render.ts'
import { printable, type SheetFormat } from '../../../workspace/sheets/sheet.ts'
import { languageForReader } from '../../../workspace/sheets/words.ts'
import { readFields } from '../../components/forms.ts'
import { accountsOnly } from '../../components/route-guards.ts'
import { type Texts, textsIn } from '../../texts/catalogue.ts'
import { textsOf } from '../../visitors/preferences.ts'
import { checkTexts } from '../ask/answer-checks.ts'
import { nameOf } from '../ask/ask-form.ts'
import { hebrewTitlesOfSources, sourcePassages, turnNames } from '../ask/library-facts.ts'
import { withNamedSession } from '../named-session.ts'
import type { WebServices } from '../services.ts'
import { headingMarkdown, turnsMarkdown } from './conversation-markdown.ts'
import { conversationSheet } from './conversation-sheet.ts'

/** Maximum turns of one file, the newest ones. */
const maxTurns = 50

/** Maximum characters of a document. The renderer needs more time than it has for three quarters of them. */
const maxCharacters = 4_000_000

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
  const name = nameOf(textsOf(request), session)
  const t = textsIn(languageForReader(name, textsOf(request).language))
  const origin = originOf(services, request)
  const parts = conversationParts(services, session, maxTurns)
  reply.type(types[format]).header('content-disposition', attachment(name, format))
  if (format === 'md')
    return sendInParts(reply, await markdownOf(services.library, { t, name, origin }, parts, signal))
  const file = { format, t, origin, signal, owner: session.accountId }
  return reply.send(await rendered(services, name, await turnsOf(parts, signal), file))
}

function sendInParts(reply: FastifyReply, parts: readonly Buffer[]): FastifyReply {
  const bytes = parts.reduce((sum, part) => sum + part.byteLength, 0)
  return reply.header('content-length', bytes).send(Readable.from(parts))
}

type Parts = AsyncIterable<readonly ConversationTurn[]>

/** Each part is encoded alone: encoding a long text at once would block the event loop. */
async function markdownOf(
  library: LibraryDatabase,
  { t, name, origin }: { readonly t: Texts; readonly name: string; readonly origin: string },
  parts: Parts,
  signal: AbortSignal,
): Promise<readonly Buffer[]> {
  const encoded: Buffer[] = []
  for await (const turns of parts) {
    signal.throwIfAborted()
    const ended = turns.filter(({ end }) => end !== undefined)
    const names = await turnNames(t, library, ended)
    if (ended.length > 0) encoded.unshift(Buffer.from(turnsMarkdown(t, ended, names, origin)))
  }
  return [Buffer.from(headingMarkdown(t, name)), ...encoded]
}

/** The ended turns. @throws ServiceError `request_too_large` when they are too long for a document. */
async function turnsOf(parts: Parts, signal: AbortSignal): Promise<readonly ConversationTurn[]> {
  const all: ConversationTurn[] = []
  let characters = 0
  for await (const turns of parts) {
    signal.throwIfAborted()
    const ended = turns.filter(({ end }) => end !== undefined)
    all.unshift(...ended)
    characters += ended.reduce((sum, turn) => sum + charactersOf(turn), 0)
    if (characters > maxCharacters)
      throw fileNotMade(new RenderingFailed(`the conversation has ${characters} characters or more`, true))
  }
  return all
}

function charactersOf({ question, answer, end }: ConversationTurn): number {
  const cited = end?.sources.reduce((sum, { text }) => sum + text.length, 0) ?? 0
  return question.length + answer.length + cited
}

/** @throws ServiceError `overloaded` if the file could not be made. */
async function rendered(
  { library }: WebServices,
  name: string,
  turns: readonly ConversationTurn[],
  file: {
    readonly format: SheetFormat
    readonly t: Texts
    readonly origin: string
    readonly signal: AbortSignal
    readonly owner: string
  },
): Promise<Buffer | undefined> {
  const { format, t, origin, signal, owner } = file
  const { language, answers } = t
  const passages = await sourcePassages(library, turns)
  const heWorks = language === 'he' ? await hebrewTitlesOfSources(library, turns) : new Map()
  const names = await turnNames(t, library, turns)
  const sheet = conversationSheet(name, turns, passages, {
    language,
    heWorks,
    origin,
    intro: answers.fileIsChecked,
    checksOf: (turn) => ({
      label: answers.checks.byService,
      lines: checkTexts(t, turn, names).map((line) => printable(line.replace(/\s+/g, ' '))),
      answerLabel: answers.byModel,
    }),
  })
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

/** Turns of one part. Reading all turns of a long conversation at once would block the event loop. */
export const partTurns = 3

/** A session; with `turn`, only its turns before that one. */
type Place = { readonly id: string; readonly turn?: number }

/**
 * The newest turns of a conversation, in parts: the newest part comes first, and within a part the oldest turn. Those
 * before a branch belong to it.
 * @param limit maximum turns of all parts.
 */
async function* conversationParts(
  services: WebServices,
  session: Session,
  limit: number,
): AsyncGenerator<readonly ConversationTurn[]> {
  let left = limit
  for (let place: Place | undefined = { id: session.id }; place && left > 0; ) {
    const part = await readPart(services, session, place, Math.min(left, partTurns))
    if (part.turns.length > 0) yield part.turns
    left -= part.turns.length
    place = part.before
  }
}

/** `before`: where the next part is. Undefined: there is none. */
function readPart(
  services: WebServices,
  session: Session,
  { id, turn }: Place,
  limit: number,
): Promise<{ readonly turns: readonly ConversationTurn[]; readonly before: Place | undefined }> {
  return withTx(services.database, session, async (tx) => {
    const { turns, hasEarlier } = await readTurns(services, tx, id, { limit, before: turn })
    const [oldest] = turns
    if (hasEarlier && oldest) return { turns, before: { id, turn: oldest.run.turn } }
    return { turns, before: (await branchPlace(tx, id)).parent }
  })
}
