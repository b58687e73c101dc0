import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { disconnectSignal } from '../../../http/connection/disconnect.ts'
import { renderSheet } from '../../../workspace/sheets/render.ts'
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
  const { database, library } = services

  app.get('/sessions/:id/export', accountsOnly, async (request, reply) => {
    const { format } = readFields(query, request.query)
    const signal = disconnectSignal(reply)
    const { session, turns } = await withNamedSession(database, request, async (tx, found) => ({
      session: found,
      turns: await readWithEarlier(services, tx, found.id, { limit: maxTurns }),
    }))
    const ended = turns.filter(({ end }) => end !== undefined)
    const name = nameOf(textsOf(request), session)
    const t = textsIn(languageForReader(name, textsOf(request).language))
    reply.type(types[format]).header('content-disposition', attachment(name, format))
    if (format === 'md') return reply.send(conversationMarkdown(t, name, ended))
    const passages = await sourcePassages(library, ended)
    const heWorks = t.language === 'he' ? await hebrewTitlesOfSources(library, ended) : new Map()
    const sheet = conversationSheet(name, ended, passages, { language: t.language, heWorks })
    const [file] = await renderSheet(sheet, [format], signal)
    return reply.send(file?.content)
  })
}

/** RFC 6266: a name in ASCII, and the real one in UTF-8. */
function attachment(name: string, format: string): string {
  const safe = [...name.replace(/[\p{Cc}/\\:*?"<>|]/gu, ' ').trim()].slice(0, 80).join('').toWellFormed()
  const encoded = encodeURIComponent(`${safe}.${format}`).replaceAll("'", '%27')
  return `attachment; filename="conversation.${format}"; filename*=UTF-8''${encoded}`
}
