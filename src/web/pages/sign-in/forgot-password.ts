import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { findAccountForLetter } from '../../../accounts/accounts.ts'
import { createResetLink, resetHours } from '../../../accounts/sign-in/password-reset.ts'
import type { Database } from '../../../db/client.ts'
import { clientAddress } from '../../../http/connection/client-address.ts'
import { letter } from '../../../mail/letters.ts'
import type { Addressed, Mailer } from '../../../mail/mailer.ts'
import { readFields, sendFormAgain } from '../../components/forms.ts'
import { html } from '../../components/html.ts'
import { outcomeNotice, type Page, sendPage } from '../../components/page.ts'
import { openToAll } from '../../components/route-guards.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { textsOf } from '../../visitors/preferences.ts'
import type { WebServices } from '../services.ts'
import { emailField } from './sign-in-view.ts'

const emailForm = z.object({ email: z.string().max(8_000) })

/**
 * `/forgot-password`: mails a link that sets a new password. The reply is the same whether there is an account. Without
 * mail there is no such page.
 */
export function forgotPasswordPage(
  app: FastifyInstance,
  { database, signInLimits, settings }: WebServices,
): void {
  const { mailer } = settings
  app.get('/forgot-password', openToAll, (request, reply) => {
    if (!mailer) return reply.callNotFound()
    return sendPage(reply, formPage(textsOf(request), undefined))
  })

  app.post('/forgot-password', openToAll, async (request, reply) => {
    if (!mailer) return reply.callNotFound()
    const { email } = readFields(emailForm, request.body)
    try {
      await signInLimits.reset(clientAddress(request))
    } catch (error) {
      return sendFormAgain(reply, error, (problem) => formPage(textsOf(request), problem))
    }
    mailer.post(async () =>
      (await signInLimits.mayMail(email)) ? resetLetter(database, mailer, email, 'newPassword') : undefined,
    )
    return sendPage(reply, checkMailPage(textsOf(request)))
  })
}

/** The letter with a link for a new password; none for an address without an account, or of a suspended one. */
export async function resetLetter(
  database: Database,
  mailer: Mailer,
  email: string,
  kind: 'newPassword' | 'addressTaken',
): Promise<Addressed | undefined> {
  const account = await findAccountForLetter(database.system, email)
  if (!account) return undefined
  const { path } = await createResetLink(database.system, { actor: account.id, accountId: account.id })
  const linked = { url: mailer.url(path), hours: resetHours }
  return { to: account.email, letter: letter(kind, account.language, mailer.product, linked) }
}

function formPage(t: Texts, problem: string | undefined): Page {
  const { account } = t
  return {
    title: account.forgot,
    main: html`<section class="narrow card"><h1>${account.forgot}</h1>
<p>${account.forgotHint}</p>${outcomeNotice({ problem })}
<form method="post" action="/forgot-password">${emailField(t, undefined)}
<button>${account.sendLink}</button></form>
<p class="faint"><a href="/signin">${account.signIn}</a></p></section>`,
  }
}

/** After a form that sends a letter, whether it was sent or not. */
export function checkMailPage({ account }: Texts): Page {
  return {
    title: account.checkMail,
    main: html`<section class="narrow card"><h1>${account.checkMail}</h1><p>${account.checkMailHint}</p></section>`,
  }
}
