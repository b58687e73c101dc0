import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { deleteAccount } from '../../../accounts/delete-account.ts'
import { passwordLength } from '../../../accounts/passwords/password-rules.ts'
import { changePassword, requirePassword } from '../../../accounts/sign-in/sign-in.ts'
import { clientAddress } from '../../../http/connection/client-address.ts'
import { confirmDialog } from '../../components/confirm-dialog.ts'
import { factList } from '../../components/fact-list.ts'
import { doneMessage, problemOf, readFields } from '../../components/forms.ts'
import { html } from '../../components/html.ts'
import { outcomeNotice, type Page, sendPage } from '../../components/page.ts'
import { accountsOnly } from '../../components/route-guards.ts'
import { clearSessionCookie } from '../../visitors/cookies.ts'
import type { SignInAttempt } from '../../visitors/sign-in-limits.ts'
import { type Visitor, visitorOf } from '../../visitors/visitor.ts'
import type { WebServices } from '../services.ts'
import { settingsPage } from './settings-page.ts'

const passwordForm = z.object({ current: z.string().max(1_000), next: z.string().max(1_000) })
const deleteForm = z.object({ current: z.string().max(1_000) })

const done = {
  password: 'The password has been changed. All other browsers have been signed out.',
}

/** `/settings/account`: change of the password, and deletion of the account. */
export function accountPages(app: FastifyInstance, services: WebServices): void {
  const { database, signInLimits } = services
  app.get('/settings/account', accountsOnly, (request, reply) =>
    sendPage(request, reply, accountPage(visitorOf(request), { done: doneMessage(request, done) })),
  )

  app.post('/settings/account/password', accountsOnly, async (request, reply) => {
    const { account, token } = visitorOf(request)
    const input = readFields(passwordForm, request.body)
    try {
      await signInLimits.guard(attemptOf(request), () =>
        changePassword(database, account, { ...input, token }),
      )
    } catch (error) {
      const { message, status } = problemOf(error)
      return sendPage(request, reply, accountPage(visitorOf(request), { problem: message }), status)
    }
    return reply.redirect('/settings/account?done=password', 303)
  })

  app.post('/settings/account/delete', accountsOnly, async (request, reply) => {
    const { account } = visitorOf(request)
    const { current } = readFields(deleteForm, request.body)
    try {
      await signInLimits.guard(attemptOf(request), () => requirePassword(database, account, current))
      await deleteAccount(database, { actor: account.id, accountId: account.id })
    } catch (error) {
      const { message, status } = problemOf(error)
      return sendPage(request, reply, accountPage(visitorOf(request), { problem: message }), status)
    }
    clearSessionCookie(request, reply, services)
    return reply.redirect('/signin?done=deleted', 303)
  })
}

/** Guesses of the current password count for the session: its holder is no stranger to the account. */
function attemptOf(request: FastifyRequest): SignInAttempt {
  const { account, token } = visitorOf(request)
  const browser = createHash('sha256').update(token).digest('base64url')
  return { email: account.email, address: clientAddress(request), browser }
}

type Messages = { readonly problem?: string; readonly done?: string | undefined }

function accountPage({ account }: Visitor, messages: Messages): Page {
  return settingsPage({
    title: 'Account',
    path: '/settings/account',
    main: html`${outcomeNotice(messages)}
${factList([
  ['E-mail address', html`<bdi>${account.email}</bdi>`],
  ['Plan', account.plan],
])}
<section class="card narrow-left"><h2>Change the password</h2>
<form method="post" action="/settings/account/password">
<input type="hidden" name="username" autocomplete="username" value="${account.email}">
<label>Current password <input type="password" name="current" autocomplete="current-password" required></label>
<label>New password <input type="password" name="next" autocomplete="new-password"
minlength="${passwordLength.min}" required aria-describedby="rule"></label>
<p class="hint" id="rule">At least ${passwordLength.min} characters. All other browsers are signed out.</p>
<button>Change the password</button></form></section>
<section class="card narrow-left"><h2>Delete the account</h2>
<p>This permanently deletes your keys, projects, conversations and files. Remaining credits are lost.</p>
${deleteDialog}</section>`,
  })
}

const deleteDialog = confirmDialog({
  label: 'Delete the account…',
  action: '/settings/account/delete',
  confirm: 'Delete everything',
  fields: html`<label>Enter your password to confirm
<input type="password" name="current" autocomplete="current-password" required></label>`,
})
