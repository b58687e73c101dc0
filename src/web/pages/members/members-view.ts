import { type Invitation, invitationDays } from '../../../accounts/members/invitations.ts'
import {
  hasRole,
  type Member,
  type MemberRole,
  type Membership,
  memberRoles,
} from '../../../accounts/members/members.ts'
import { dataTable } from '../../components/data-table.ts'
import { confirmDialog, copyField } from '../../components/fields.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { outcomeNotice, type Page } from '../../components/page.ts'
import type { Texts } from '../../texts/catalogue.ts'
import type { Visitor } from '../../visitors/visitor.ts'
import { settingsPage } from '../settings/settings-page.ts'

type Shown = {
  readonly members: readonly Member[]
  readonly invitations: readonly Invitation[]
  /** Accounts that the person can act for besides the own one. */
  readonly memberships: readonly Membership[]
  /** Whether invitations to an address are mailed. */
  readonly hasMail: boolean
}

const path = '/settings/members'

/** The members of the account, for admins also the forms that change them, and the accounts of the person. */
export function membersPage(
  t: Texts,
  visitor: Visitor,
  shown: Shown,
  messages: { readonly done?: string | undefined; readonly problem?: string },
): Page {
  const { account, role } = visitor
  const manages = hasRole(role, 'admin')
  return settingsPage(t, {
    title: t.members.title,
    path,
    role,
    main: html`${outcomeNotice(messages)}
<h2>${t.members.title}</h2>
<p>${t.members.of(address(account.email))} ${t.members.about}</p>
${memberTable(t, visitor, shown.members)}
${manages ? inviteCard(t, role, shown.hasMail) : nothing}
${shown.invitations.length > 0 ? invitationTable(t, role, shown.invitations) : nothing}
${shown.memberships.length > 0 ? switchTable(t, visitor, shown.memberships) : nothing}`,
  })
}

const address = (email: string) => html`<bdi dir="ltr">${email}</bdi>`

function memberTable(t: Texts, visitor: Visitor, members: readonly Member[]): Html {
  const { common } = t
  const you = html` <span class="badge">${t.members.you}</span>`
  return dataTable({
    label: t.members.title,
    rows: members,
    columns: [
      {
        name: t.members.person,
        kind: 'title',
        cell: ({ id, email }) => html`${address(email)}${id === visitor.person.id ? you : nothing}`,
      },
      { name: t.members.role, cell: ({ role }) => t.members.roles[role] },
      { name: t.members.since, cell: ({ addedAt }) => (addedAt ? t.day(addedAt) : '—') },
      {
        name: html`<span class="sr">${common.actions}</span>`,
        cell: (member) => memberActions(t, visitor, member),
      },
    ],
  })
}

function memberActions(t: Texts, { person, account, role }: Visitor, member: Member): Html {
  if (member.id === account.id) return nothing
  if (member.id === person.id) return html`<div class="own">${leaveDialog(t)}</div>`
  if (!hasRole(role, 'admin') || (member.role === 'owner' && role !== 'owner')) return nothing
  const label = t.members.roleOf(member.email)
  return html`<div class="row row-actions" role="group" aria-label="${member.email}">
<form class="row row-actions" method="post" action="${path}/${member.id}/role">
<select name="role" aria-label="${label}">${rolesBelow(role).map(
    (one) =>
      html`<option value="${one}"${one === member.role ? html` selected` : nothing}>${t.members.roles[one]}</option>`,
  )}</select> <button class="quiet">${t.members.changeRole}</button></form>
${confirmDialog(t, {
  label: t.members.remove,
  question: t.members.removeQuestion(address(member.email)),
  action: `${path}/${member.id}/remove`,
  confirm: t.common.remove,
})}</div>`
}

function leaveDialog(t: Texts): Html {
  return confirmDialog(t, {
    label: t.members.leave,
    question: t.members.leaveQuestion,
    action: `${path}/leave`,
    confirm: t.members.leaveNow,
  })
}

/** The roles that somebody with this one may give. */
function rolesBelow(role: MemberRole): readonly MemberRole[] {
  return memberRoles.filter((one) => one !== 'owner' || role === 'owner')
}

function inviteCard(t: Texts, role: MemberRole, hasMail: boolean): Html {
  const { members } = t
  const choice = (one: MemberRole) =>
    html`<label class="choice">
<input type="radio" name="role" value="${one}"${one === 'member' ? html` checked` : nothing}>
<span><b>${members.roles[one]}</b><br><small>${members.meanings[one]}</small></span></label>`
  return html`<section class="card narrow-left"><h2>${members.invite}</h2>
<p>${hasMail ? members.inviteByMail : members.inviteByLink}</p>
<form method="post" action="${path}/invite">
<label>${members.optionalEmail} <input type="email" name="email" autocomplete="off" dir="ltr"></label>
<fieldset><legend>${members.role}</legend>${rolesBelow(role).map(choice)}</fieldset>
<button>${members.inviteNow}</button></form></section>`
}

function invitationTable(t: Texts, role: MemberRole, invitations: readonly Invitation[]): Html {
  const { common, members } = t
  const nameOf = (invitation: Invitation) =>
    invitation.email ?? `${members.anyone} (${invitations.indexOf(invitation) + 1})`
  const table = dataTable({
    label: members.open,
    rows: invitations,
    columns: [
      {
        name: common.email,
        kind: 'title',
        cell: ({ email }) => (email === null ? members.anyone : address(email)),
      },
      { name: members.role, cell: (invitation) => members.roles[invitation.role] },
      { name: members.until, cell: ({ expiresAt }) => t.day(expiresAt) },
      {
        name: html`<span class="sr">${common.actions}</span>`,
        cell: (invitation) =>
          invitation.role === 'owner' && role !== 'owner'
            ? nothing
            : html`<div role="group" aria-label="${nameOf(invitation)}">
<form method="post" action="${path}/invitations/${invitation.id}/revoke">
<button class="quiet">${members.revoke}</button></form></div>`,
      },
    ],
  })
  return html`<section><h2>${members.open}</h2>${table}</section>`
}

/** The accounts of a person, each with a button that switches to it. */
function switchTable(t: Texts, { person, account }: Visitor, memberships: readonly Membership[]): Html {
  const { common, members } = t
  const own = { accountId: person.id, email: person.email, role: 'owner' as const }
  const table = dataTable<Membership>({
    label: members.switch,
    rows: [own, ...memberships],
    columns: [
      {
        name: common.email,
        kind: 'title',
        cell: ({ email }) => address(email),
      },
      {
        name: members.role,
        cell: ({ accountId, role }) => (accountId === person.id ? members.ownAccount : members.roles[role]),
      },
      {
        name: html`<span class="sr">${common.actions}</span>`,
        cell: ({ accountId, email }) =>
          accountId === account.id
            ? html`<b>${members.actingNow}</b>`
            : html`<div role="group" aria-label="${email}"><form method="post" action="${path}/act">
<button class="quiet" name="account" value="${accountId}">${members.act}</button></form></div>`,
      },
    ],
  })
  return html`<section id="accounts" class="own"><h2>${members.switch}</h2>
<p class="hint">${members.switchHint}</p>${table}</section>`
}

/** The link of a new invitation, which is shown only now. */
export function invitedPage(t: Texts, url: string): Page {
  const { members } = t
  return settingsPage(t, {
    title: members.linkTitle,
    path,
    hasSecret: true,
    scripts: ['copy.js'],
    main: html`<section class="card narrow-left"><h2>${members.linkTitle}</h2>
<p>${members.linkOnce(invitationDays)}</p>
${copyField(t, { id: 'invitation', text: url, what: members.theLink })}
<p><a class="button" href="${path}">${members.back}</a></p></section>`,
  })
}
