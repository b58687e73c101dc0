import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { deleteAccount } from '../../../accounts/delete-account.ts'
import { passwordLength } from '../../../accounts/passwords/password-rules.ts'
import { changePassword, requirePassword } from '../../../accounts/sign-in/sign-in.ts'
import { clientAddress } from '../../../http/connection/client-address.ts'
import { doneMessage, problemOf, readFields } from '../../components/forms.ts'
import { signedIn } from '../../components/guards.ts'
import { html, nothing } from '../../components/html.ts'
import { notice, type Page, sendPage, tabs } from '../../components/page.ts'
import { clearSessionCookie } from '../../visitors/cookies.ts'
import type { SignInAttempt } from '../../visitors/sign-in-limits.ts'
import { type Visitor, visitorOf } from '../../visitors/visitor.ts'
import type { WebServices } from '../services.ts'
import { settingsTabs } from './settings-tabs.ts'

const passwordForm = z.object({ current: z.string().max(1_000), next: z.string().max(1_000) })
const deleteForm = z.object({ current: z.string().max(1_000) })

const done = {
  password: 'The password has been changed. Every other browser that was signed in has been signed out.',
}

/** `/settings/account`: change of the password, and deletion of the account. */
export function accountPages(app: FastifyInstance, services: WebServices): void {
  const { database, signInLimits } = services
  app.get('/settings/account', signedIn, (request, reply) =>
    sendPage(request, reply, accountPage(visitorOf(request), { done: doneMessage(request, done) })),
  )

  app.post('/settings/account/password', signedIn, async (request, reply) => {
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

  app.post('/settings/account/delete', signedIn, async (request, reply) => {
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

/** Wrong current passwords count by session, because its holder has signed in before. */
function attemptOf(request: FastifyRequest): SignInAttempt {
  const { account, token } = visitorOf(request)
  const browser = createHash('sha256').update(token).digest('base64url')
  return { email: account.email, address: clientAddress(request), browser }
}

type Messages = { readonly problem?: string; readonly done?: string | undefined }

function accountPage({ account }: Visitor, { problem, done: message }: Messages): Page {
  return {
    title: 'Account',
    section: 'settings',
    main: html`<h1>Settings</h1>${tabs(settingsTabs, '/settings/account')}
${problem ? notice('problem', problem) : message ? notice('done', message) : nothing}
<dl class="facts"><div><dt>E-mail address</dt><dd dir="ltr">${account.email}</dd></div><div><dt>Plan</dt><dd>${account.plan}</dd></div></dl>
<section class="card narrow-left"><h2>Change the password</h2>
<form method="post" action="/settings/account/password">
<input type="hidden" name="username" autocomplete="username" value="${account.email}">
<label>Present password <input type="password" name="current" autocomplete="current-password" required></label>
<label>New password <input type="password" name="next" autocomplete="new-password" minlength="${passwordLength.min}" required aria-describedby="rule"></label>
<p class="hint" id="rule">At least ${passwordLength.min} characters. All other browsers are signed out.</p>
<button>Change the password</button></form></section>
<section class="card narrow-left"><h2>Delete the account</h2>
<p>This removes your keys, projects, conversations and files at once and for good. Credits that are left are lost.</p>
<details class="confirm"><summary class="button quiet danger">Delete the account…</summary>
<form method="post" action="/settings/account/delete">
<label>Type your password to confirm <input type="password" name="current" autocomplete="current-password" required></label>
<button class="danger">Delete everything</button></form></details></section>`,
  }
}
