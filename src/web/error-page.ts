import type { FastifyReply, FastifyRequest } from 'fastify'
import { errorTable, type ServiceError } from '../errors.ts'
import { logFailure } from '../http/error-handler.ts'
import { type Html, html, nothing } from './components/html.ts'
import { sendPage } from './components/page.ts'
import { type KeptForm, keptForm } from './kept-forms/kept-form.ts'
import { keptFormView, keptTextView } from './kept-forms/kept-form-view.ts'
import type { Texts } from './texts/catalogue.ts'
import { pageBefore } from './visitors/own-path.ts'
import { textsOf } from './visitors/preferences.ts'

/** Every failure in words, with what was written in the form that failed, or with a link to go on. */
export function sendErrorPage(
  request: FastifyRequest,
  reply: FastifyReply,
  error: ServiceError,
): Promise<FastifyReply> {
  const { status } = errorTable[error.code]
  logFailure(request, reply, error)
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds)
  const t = textsOf(request)
  const { errors } = t
  const title = errors.titles[status] ?? errors.anyTitle
  const message = error.code === 'not_found' ? errors.notFound : t.translate(error.message)
  // The page of a missing thing is the same for everybody, wherever they come from.
  const back = request.method === 'POST' && status !== 404 ? pageBefore(request) : undefined
  const main = html`<section class="narrow"><h1>${title}</h1><p role="alert">${message}</p>
${keptPart(t, keptForm(request), error.code)}
<p><a class="button quiet" href="${back ?? '/'}">${back ? errors.back : errors.startPage}</a></p>
<p class="faint">${errors.request(request.id)}</p></section>`
  return sendPage(reply, { title, main }, status)
}

/**
 * What was written in the form. A question whose conversation or file is not there can be asked without them, and one
 * whose model is not there with the model that every service has.
 */
function keptPart(t: Texts, form: KeptForm | undefined, code: ServiceError['code']): Html {
  if (!form) return nothing
  const withModel = form.fields.map(([name, value]) => [name, name === 'model' ? 'service' : value] as const)
  if (code === 'model_not_found') return keptFormView(t, { ...form, fields: withModel })
  if (code !== 'not_found') return keptFormView(t, form)
  const question = form.fields.filter(([name]) => /^(?:form|model|question)$/.test(name))
  if (!question.some(([name]) => name === 'question')) return keptTextView(t, form)
  return keptFormView(t, { ...form, action: '/ask', fields: question })
}
