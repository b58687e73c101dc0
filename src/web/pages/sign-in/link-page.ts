import type { FastifyReply, FastifyRequest } from 'fastify'
import { problemOf } from '../../components/forms.ts'
import { html } from '../../components/html.ts'
import { notice, type Page, sendPage } from '../../components/page.ts'
import { textsOf } from '../../visitors/preferences.ts'

/** Sends a page whose address is a secret: no file that it loads, and no page after it, receives it. */
export function sendLinkPage(reply: FastifyReply, page: Page, status = 200): Promise<FastifyReply> {
  reply.header('referrer-policy', 'no-referrer')
  return sendPage(reply, page, status)
}

/** Answers an invalid link, or too many attempts. */
export function refuseLink(
  request: FastifyRequest,
  reply: FastifyReply,
  title: string,
  error: unknown,
): Promise<FastifyReply> {
  const { message, status } = problemOf(request, error)
  const { account } = textsOf(request)
  const main = html`<section class="narrow card"><h1>${title}</h1>
${notice('problem', message)}
<p><a class="button quiet" href="/signin">${account.signIn}</a></p></section>`
  return sendLinkPage(reply, { title, main }, status)
}
