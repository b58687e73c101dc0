import type { FastifyInstance } from 'fastify'
import { sendPage } from '../../components/page.ts'
import { openToAll } from '../../components/route-guards.ts'
import type { Language } from '../../texts/catalogue.ts'
import { textsOf } from '../../visitors/preferences.ts'
import type { WebServices } from '../services.ts'
import { type Example, readExample } from './example.ts'
import { landingPage } from './landing-view.ts'

/** Visitors get an example that is at most this old: reading it takes a query and a check. */
const keptMs = 10 * 60_000

/** `/`: what the service is. Those who are signed in go on to the question form. */
export function landingPages(app: FastifyInstance, services: WebServices): void {
  const kept = new Map<Language, { readonly at: number; readonly example: Example | undefined }>()

  async function exampleIn(language: Language): Promise<Example | undefined> {
    const known = kept.get(language)
    if (known && performance.now() - known.at < keptMs) return known.example
    // The page is complete without its example, also while the library's database does not answer.
    const example = await readExample(services.library.system, language).catch((error: unknown) => {
      services.log.warn({ err: error }, 'the example of the start page could not be read')
      return undefined
    })
    if (example) kept.set(language, { at: performance.now(), example })
    return example
  }

  app.get('/', openToAll, async (request, reply) => {
    if (request.visitor) return reply.redirect('/ask', 303)
    const t = textsOf(request)
    return sendPage(reply, landingPage(t, services, await exampleIn(t.language)))
  })
}
