import type { Account } from '../../../accounts/accounts.ts'
import type { OpenInvitation } from '../../../accounts/members/invitations.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { withQuery } from '../../components/library-links.ts'
import { outcomeNotice, type Page } from '../../components/page.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { newPasswordField } from '../sign-in/sign-in-view.ts'

type Shown = {
  readonly invitation: OpenInvitation
  readonly token: string
  /** Who is signed in, if anybody. */
  readonly person: Account | undefined
  /** Whether the page has a form for a new account with the address of the invitation. */
  readonly hasForm: boolean
  readonly signUpIsOpen: boolean
  readonly problem: string | undefined
}

const address = (email: string) => html`<b dir="ltr">${email}</b>`

/** What a link invites to, and the way to accept it. */
export function invitationPage(t: Texts, shown: Shown): Page {
  const { members } = t
  const { invitation, person, problem } = shown
  const { role, accountEmail, invitedByEmail } = invitation
  return {
    title: members.invitation,
    hasSecret: true,
    main: html`<section class="narrow card"><h1>${members.invitation}</h1>
<p>${members.invitedTo(address(invitedByEmail), address(accountEmail))}</p>
<p>${members.as(members.roles[role], members.meanings[role])}</p>
<p>${members.seen}</p>
${outcomeNotice({ problem })}
${person ? acceptPart(t, invitation, person) : strangerPart(t, shown)}
</section>`,
  }
}

/** A form without an action posts to the URL of the page, which contains the token. */
function acceptPart({ members }: Texts, { email }: OpenInvitation, person: Account): Html {
  const signedIn = html`<p class="faint">${members.signedInAs(address(person.email))}</p>`
  if (email !== null && email !== person.email)
    return html`${signedIn}<p>${members.forOther(address(email))}</p>`
  return html`${signedIn}<form method="post"><button>${members.accept}</button></form>`
}

function strangerPart(t: Texts, { token, invitation, hasForm, signUpIsOpen }: Shown): Html {
  const { account, members } = t
  const next = `/invitations/${token}`
  const signUpLink = html`<p>${members.orSignUp} <a href="${withQuery('/signup', { next })}">${account.signUp}</a></p>`
  return html`<p>${members.signInFirst}
<a class="button" href="${withQuery('/signin', { next })}">${account.signIn}</a></p>
${hasForm ? signUpForm(t, next, invitation.email ?? '') : signUpIsOpen ? signUpLink : nothing}`
}

function signUpForm(t: Texts, path: string, email: string): Html {
  const { common, members } = t
  return html`<h2>${members.orSignUp}</h2><p>${members.signUpFor(address(email))}</p>
<form method="post" action="${path}/account">
<input type="hidden" name="username" autocomplete="username" value="${email}">
${newPasswordField(t, common.password, 'password')}
<button>${members.signUpAndAccept}</button></form>`
}
