import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { recordOwnAction, replacedKeys } from '../../../accounts/audit.ts'
import { findKeys, keyStates } from '../../../accounts/keys/key-list.ts'
import {
  type KeySettings,
  readSettings,
  settingNames,
  settingTexts,
} from '../../../accounts/keys/key-settings.ts'
import { changeKey, createKey, findKey, type KeyInfo, type KeyReach } from '../../../accounts/keys/keys.ts'
import { hasRole, requireScopesFor } from '../../../accounts/members/members.ts'
import type { Principal } from '../../../accounts/principal.ts'
import { defaultScopes } from '../../../accounts/scopes.ts'
import { type KeySpending, readKeySpending } from '../../../billing/key-spending.ts'
import { type Executor, withTx } from '../../../db/client.ts'
import { notFound, ServiceError } from '../../../errors.ts'
import { originOf } from '../../../http/origin.ts'
import { newId } from '../../../ids.ts'
import { toolGroups } from '../../../turns/run/run-request.ts'
import { listProjects, type Project } from '../../../turns/sessions/projects.ts'
import { revokeKeyAndTurns } from '../../../turns/sessions/suspension.ts'
import { doneMessage, manyTexts, problemOf, readFields } from '../../components/forms.ts'
import { sendPage } from '../../components/page.ts'
import { pageOfAddress } from '../../components/pager.ts'
import { membersOnly } from '../../components/route-guards.ts'
import { textsOf } from '../../visitors/preferences.ts'
import { type Visitor, visitorOf } from '../../visitors/visitor.ts'
import type { WebServices } from '../services.ts'
import { emptySettings, type KeyFormValues, keyEditPage, keyForm, type SettingValues } from './key-form.ts'
import { keyMadePage, keysPage } from './key-views.ts'

const dayMs = 86_400_000

/** The longest are 50 ranges of addresses. */
const settingText = z.string().max(2_500).default('')

/** The fields of limits and defaults. A form may leave them out. */
const settings = z.object(
  Object.fromEntries(settingNames.map((name) => [name, settingText])) as Record<
    (typeof settingNames)[number],
    typeof settingText
  >,
)

const form = settings.extend({
  /** Id of the form; a form that is sent twice, for example by a reload, creates one key. */
  id: z.string().regex(/^key_[0-9A-Za-z]{24}$/),
  name: z.string().max(200),
  scopes: manyTexts,
  /** `dedicated`, `owner`, or the id of a project. */
  reach: z.string().max(100),
  expires: z.enum(['never', '30', '90', '365']),
  /** Id of the key that the new one takes over from. */
  replaces: z.string().max(100).default(''),
})

/** Narrows the list to keys with words in their names, and to one state. */
const filterQuery = z.object({
  q: z.string().trim().max(100).default('').catch(''),
  state: z
    .enum(['', ...keyStates])
    .default('')
    .catch(''),
})

const newQuery = z.object({ like: z.string().max(100).optional() })

const changeForm = settings.extend({ name: z.string().max(200) })

/** `/settings/keys`: the list of keys, a form for a new one, its secret, shown once, and a form to change one. */
export function keyPages(app: FastifyInstance, services: WebServices): void {
  listPages(app, services)
  makePages(app, services)
  editPages(app, services)
}

function listPages(app: FastifyInstance, services: WebServices): void {
  const { database } = services

  app.get('/settings/keys', membersOnly, async (request, reply) => {
    const visitor = visitorOf(request)
    const page = pageOfAddress(request)
    const filter = { ...readFields(filterQuery, request.query), createdBy: onlyMaker(visitor) }
    const found = await withTx(database, visitor.principal, async (tx) => {
      const keys = await findKeys(tx, visitor.account.id, filter, page)
      return {
        keys,
        spending: await spendingOf(tx, visitor.account.id, keys.items),
        projects: await projectsIn(tx, visitor),
      }
    })
    const replaced = await replacedKeys(database.system, visitor.account.id)
    const done = doneMessage(request, textsOf(request).keys.done)
    const shown = { ...found, replaced, filter, done, isFirst: page.after === undefined }
    return sendPage(reply, keysPage(textsOf(request), visitor, shown))
  })

  app.post<{ Params: { id: string } }>('/settings/keys/:id/revoke', membersOnly, async (request, reply) => {
    const visitor = visitorOf(request)
    const { account, principal } = visitor
    const { id } = request.params
    await withTx(database, principal, async (tx) => {
      if (!(await keyOf(tx, visitor, id))) throw notFound()
      await revokeKeyAndTurns(tx, id, account.id)
      await record(tx, 'key.revoked', principal, id)
    })
    return reply.redirect('/settings/keys?done=revoked', 303)
  })
}

function makePages(app: FastifyInstance, services: WebServices): void {
  const { database, peppers } = services

  app.get('/settings/keys/new', membersOnly, async (request, reply) => {
    const visitor = visitorOf(request)
    const projects = await projectsOf(services, visitor)
    const choices = { projects, models: modelsOf(services) }
    const { like } = readFields(newQuery, request.query)
    const values = like ? formLike((await keyToEdit(services, visitor, like)).key) : emptyForm()
    return sendPage(reply, keyForm(textsOf(request), visitor, choices, values))
  })

  app.post('/settings/keys', membersOnly, async (request, reply) => {
    const visitor = visitorOf(request)
    const input = readFields(form, request.body)
    try {
      requireScopesFor(visitor.principal.scopes, input.scopes)
      const { key, info, old } = await withTx(database, visitor.principal, async (tx) => {
        const made = await createKey(tx, peppers, visitor.account.id, {
          form: input.id,
          name: input.name,
          createdBy: visitor.person.id,
          scopes: input.scopes,
          reach: reachOf(input.reach),
          settings: settingsOf(services, input),
          ...(input.expires !== 'never' && {
            expiresAt: new Date(Date.now() + Number(input.expires) * dayMs),
          }),
        })
        const old = await keyOf(tx, visitor, input.replaces)
        await recordOwnAction(tx, visitor.principal, {
          action: 'key.created',
          details: { key: made.info.id, ...(old && { replaces: old.id }) },
        })
        return { ...made, old }
      })
      const replaced = old?.revokedAt ? undefined : old
      const made = { key, info, replaced, baseUrl: `${originOf(services, request)}/v1` }
      return sendPage(reply, keyMadePage(textsOf(request), visitor, made))
    } catch (error) {
      if (isKnownKey(error)) return reply.redirect('/settings/keys?done=made', 303)
      const { message, status } = keyProblem(request, error)
      const projects = await projectsOf(services, visitor)
      const again = { ...input, id: newId('key'), settings: input, problem: message }
      const choices = { projects, models: modelsOf(services) }
      return sendPage(reply, keyForm(textsOf(request), visitor, choices, again), status)
    }
  })
}

function record(
  tx: Executor,
  action: 'key.changed' | 'key.revoked',
  principal: Principal,
  key: string,
): Promise<void> {
  return recordOwnAction(tx, principal, { action, details: { key } })
}

function editPages(app: FastifyInstance, services: WebServices): void {
  const { database } = services
  const models = modelsOf(services)

  app.get<{ Params: { id: string } }>('/settings/keys/:id', membersOnly, async (request, reply) => {
    const found = await keyToEdit(services, visitorOf(request), request.params.id)
    const { name } = found.key
    const values = settingTexts(found.key)
    return sendPage(reply, keyEditPage(textsOf(request), { ...found, models, name, values }))
  })

  app.post<{ Params: { id: string } }>('/settings/keys/:id', membersOnly, async (request, reply) => {
    const visitor = visitorOf(request)
    const { id } = request.params
    const found = await keyToEdit(services, visitor, id)
    const input = readFields(changeForm, request.body)
    try {
      const change = { name: input.name, settings: settingsOf(services, input) }
      await withTx(database, visitor.principal, async (tx) => {
        await changeKey(tx, id, change, visitor.account.id)
        await record(tx, 'key.changed', visitor.principal, id)
      })
      return reply.redirect('/settings/keys?done=saved', 303)
    } catch (error) {
      const { message: problem, status } = keyProblem(request, error)
      const { name, ...values } = input
      const page = keyEditPage(textsOf(request), { ...found, models, name, values, problem })
      return sendPage(reply, page, status)
    }
  })
}

/** @throws ServiceError `not_found`, also for a revoked key. */
function keyToEdit({ database }: WebServices, visitor: Visitor, keyId: string) {
  const { principal, role } = visitor
  return withTx(database, principal, async (tx) => {
    const key = await keyOf(tx, visitor, keyId)
    if (!key || key.revokedAt) throw notFound()
    return { key, role, spending: await readKeySpending(tx, { accountId: principal.accountId, keyId }) }
  })
}

function modelsOf({ catalogue }: WebServices): readonly string[] {
  return catalogue.models.map(({ id }) => id)
}

function settingsOf(services: WebServices, texts: SettingValues): KeySettings {
  return readSettings(texts, { toolGroups, models: modelsOf(services) })
}

function projectsOf({ database }: WebServices, visitor: Visitor): Promise<readonly Project[]> {
  return withTx(database, visitor.principal, (tx) => projectsIn(tx, visitor))
}

async function projectsIn(tx: Executor, { principal }: Visitor): Promise<readonly Project[]> {
  return (await listProjects(tx, principal, { limit: 100, order: 'desc' })).items
}

/** What the keys with a cap have spent, by the id of the key. */
async function spendingOf(
  tx: Executor,
  accountId: string,
  keys: readonly KeyInfo[],
): Promise<ReadonlyMap<string, KeySpending>> {
  const spending = new Map<string, KeySpending>()
  for (const key of keys) {
    const isCapped = [key.dayCapMicros, key.monthCapMicros, key.totalCapMicros].some((cap) => cap !== null)
    if (!isCapped || key.revokedAt) continue
    spending.set(key.id, await readKeySpending(tx, { accountId, keyId: key.id }))
  }
  return spending
}

/** As `problemOf`; a setting has the name that its field has on the page. */
function keyProblem(request: FastifyRequest, error: unknown) {
  const { message, status } = problemOf(request, error)
  const { settings } = textsOf(request).keys
  const named = message.replace(/`(\w+)`/, (whole, name) =>
    Object.hasOwn(settings, name) ? `“${settings[name as keyof typeof settings]}”` : whole,
  )
  return { message: named, status }
}

/** The form was sent before. */
function isKnownKey(error: unknown): boolean {
  return error instanceof ServiceError && error.param === 'form'
}

function emptyForm(): KeyFormValues {
  return {
    id: newId('key'),
    name: '',
    scopes: defaultScopes,
    reach: 'dedicated',
    expires: 'never',
    settings: emptySettings,
    replaces: '',
  }
}

/** A form for a key with the name, the access and the limits of another one. */
function formLike(key: KeyInfo): KeyFormValues {
  return {
    ...emptyForm(),
    name: key.name,
    scopes: key.scopes,
    reach: key.binding === 'owner' ? 'owner' : (key.projectId ?? 'dedicated'),
    settings: settingTexts(key),
    replaces: key.id,
  }
}

function reachOf(text: string): KeyReach {
  if (text === 'dedicated' || text === 'owner') return { kind: text }
  return { kind: 'project', projectId: text }
}

/** Members see the keys that they made, admins all. */
function onlyMaker({ role, person }: Visitor): string | undefined {
  return hasRole(role, 'admin') ? undefined : person.id
}

/** A key that the visitor may see. */
async function keyOf(tx: Executor, visitor: Visitor, id: string): Promise<KeyInfo | undefined> {
  const key = await findKey(tx, visitor.account.id, id)
  const maker = onlyMaker(visitor)
  return maker === undefined || key?.createdBy === maker ? key : undefined
}
