import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { readFields } from '../../components/forms.ts'
import { openToAll } from '../../components/route-guards.ts'
import { languages } from '../../texts/catalogue.ts'
import { ownPath } from '../../visitors/own-path.ts'
import { keepPreference, themes } from '../../visitors/preferences.ts'

const form = z.object({
  language: z.enum(languages).optional(),
  theme: z.enum(themes).optional(),
  next: z.string().max(8_000).optional(),
})

/** `/preferences`: keeps the language and the colours that a reader chooses, signed in or not. */
export function preferencePages(app: FastifyInstance): void {
  app.post('/preferences', openToAll, (request, reply) => {
    const { next, ...preference } = readFields(form, request.body)
    keepPreference(reply, preference)
    return reply.redirect(ownPath(next) ?? '/', 303)
  })
}
