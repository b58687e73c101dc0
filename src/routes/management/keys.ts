import { type Acting, recordOwnAction } from '../../accounts/audit.ts'
import { findKeys } from '../../accounts/keys/key-list.ts'
import { type KeySettings, noSettings } from '../../accounts/keys/key-settings.ts'
import {
  changeKey,
  createKey,
  expireKey,
  findKey,
  type KeyInfo,
  type KeyReach,
} from '../../accounts/keys/keys.ts'
import { confinedTo } from '../../accounts/principal.ts'
import { type Executor, withTx } from '../../db/client.ts'
import { notFound, ServiceError, wrongField } from '../../errors.ts'
import { principalOf, resourceOf } from '../../http/auth.ts'
import type { ResourceLookup } from '../../http/connection/fastify.ts'
import { listBody } from '../../http/lists.ts'
import type { BodyOf, RouteDocs } from '../../http/openapi/docs.ts'
import type { Api } from '../../http/openapi/zod.ts'
import type { Services } from '../../turns/services.ts'
import { revokeKeyAndTurns } from '../../turns/sessions/suspension.ts'
import { onceFor } from './idempotent.ts'
import {
  changeBody,
  keyBody,
  keyList,
  keyStateOf,
  limitsOf,
  listQuery,
  managedKey,
  newBody,
  rotateBody,
} from './key-body.ts'

const named: ResourceLookup = async (tx, principal, id) =>
  confinedTo(principal) === null ? findKey(tx, principal.accountId, id) : undefined

const tag = 'Account' as const
const requestHeaders = {
  'idempotency-key': 'A request that is sent again with it is done once; the repeated reply has no key.',
}
const docs = {
  list: { summary: 'List the keys of the account', tag, response: keyList },
  create: {
    summary: 'Create a key',
    tag,
    response: managedKey,
    requestHeaders,
    errors: ['idempotency_key_reused', 'not_found'],
  },
  get: { summary: 'Get a key', tag, response: managedKey },
  change: {
    summary: 'Rename a key, or change its limits',
    description: 'Fields that are absent stay as they are; null removes a limit.',
    tag,
    response: managedKey,
  },
  rotate: {
    summary: 'Replace a key by a new one with the same settings',
    description: 'The old key is revoked, at once or after `grace_hours`.',
    tag,
    response: managedKey,
    requestHeaders,
    errors: ['idempotency_key_reused'],
  },
  revoke: {
    summary: 'Revoke a key, and cancel its unfinished turns',
    tag,
    response: managedKey,
  },
} satisfies Record<string, RouteDocs>

const withoutKey = ({ key: _, ...rest }: BodyOf<typeof managedKey>): BodyOf<typeof managedKey> => rest

/** `/v1/keys`: the keys of the account, for its own programs. */
export function managedKeyRoutes(app: Api, services: Services): void {
  collectionRoutes(app, services)
  itemRoutes(app, services)
  rotationRoute(app, services)
}

const scope = 'account:manage' as const
const one = { scope, resource: named }

function collectionRoutes(app: Api, { database, peppers }: Services): void {
  app.get(
    '/keys',
    { config: { scope, docs: docs.list }, schema: { querystring: listQuery } },
    async (request): Promise<BodyOf<typeof keyList>> => {
      const { accountId } = principalOf(request)
      const { limit, after, state = '' } = request.query
      const { items, hasMore } = await withTx(database, { accountId }, (tx) =>
        findKeys(tx, accountId, { q: '', state }, { limit, after }),
      )
      return listBody(
        items.map((key) => keyBody(key)),
        hasMore,
      )
    },
  )

  app.post('/keys', { config: { scope, docs: docs.create }, schema: { body: newBody } }, async (request) => {
    const principal = principalOf(request)
    const { body } = request
    const input = {
      name: body.name,
      createdBy: principal.memberId ?? null,
      ...(body.scopes && { scopes: body.scopes }),
      reach: reachOf(body.access ?? 'dedicated', body.project_id),
      settings: { ...noSettings, ...limitsOf(body) },
      ...(typeof body.expires_at === 'number' && { expiresAt: new Date(body.expires_at * 1_000) }),
    }
    requireOwnScopes(principal.scopes, body.scopes ?? [])
    return withTx(database, principal, (tx) =>
      onceFor(
        tx,
        request,
        () => made(tx, principal, () => createKey(tx, peppers, principal.accountId, input)),
        withoutKey,
      ),
    )
  })
}

function itemRoutes(app: Api, { database }: Services): void {
  app.get('/keys/:id', { config: { ...one, docs: docs.get } }, (request) =>
    keyBody(resourceOf<KeyInfo>(request)),
  )

  app.patch(
    '/keys/:id',
    { config: { ...one, docs: docs.change }, schema: { body: changeBody } },
    async (request) => {
      const principal = principalOf(request)
      const { accountId } = principal
      const before = resourceOf<KeyInfo>(request)
      const change = {
        name: request.body.name ?? before.name,
        settings: { ...settingsOf(before), ...limitsOf(request.body) },
      }
      return withTx(database, { accountId }, async (tx) => {
        const { info } = await changeKey(tx, before.id, change, accountId)
        await recordOwnAction(tx, principal, { action: 'key.changed', details: { key: before.id } })
        return keyBody(info)
      })
    },
  )

  app.delete('/keys/:id', { config: { ...one, docs: docs.revoke } }, async (request) => {
    const principal = principalOf(request)
    const { accountId } = principal
    const { id } = resourceOf<KeyInfo>(request)
    return withTx(database, { accountId }, async (tx) => {
      await revokeKeyAndTurns(tx, id, accountId)
      await recordOwnAction(tx, principal, { action: 'key.revoked', details: { key: id } })
      const revoked = await findKey(tx, accountId, id)
      if (!revoked) throw notFound()
      return keyBody(revoked)
    })
  })
}

function rotationRoute(app: Api, { database, peppers }: Services): void {
  app.post(
    '/keys/:id/rotate',
    { config: { ...one, docs: docs.rotate }, schema: { body: rotateBody } },
    async (request) => {
      const principal = principalOf(request)
      const old = resourceOf<KeyInfo>(request)
      const hours = request.body.grace_hours ?? 0
      requireOwnScopes(principal.scopes, old.scopes)
      const work = async (tx: Executor) => {
        if (keyStateOf(old) !== 'active') throw notFound('id')
        const reply = await made(
          tx,
          principal,
          () =>
            createKey(tx, peppers, principal.accountId, {
              createdBy: principal.memberId ?? null,
              name: old.name,
              scopes: old.scopes,
              reach: sameReach(old),
              settings: settingsOf(old),
              ...(old.expiresAt && { expiresAt: old.expiresAt }),
            }),
          { replaces: old.id },
        )
        await endKey(tx, principal, old, hours)
        return reply
      }
      return withTx(database, principal, (tx) => onceFor(tx, request, () => work(tx), withoutKey))
    },
  )
}

async function made(
  tx: Executor,
  acting: Acting,
  create: () => Promise<{ readonly key: string; readonly info: KeyInfo }>,
  facts: { readonly replaces?: string } = {},
): Promise<BodyOf<typeof managedKey>> {
  const { key, info } = await create()
  await recordOwnAction(tx, acting, { action: 'key.created', details: { key: info.id, ...facts } })
  return keyBody(info, key)
}

async function endKey(tx: Executor, acting: Acting, old: KeyInfo, graceHours: number): Promise<void> {
  const { accountId } = acting
  const details = { key: old.id }
  if (graceHours === 0) {
    await revokeKeyAndTurns(tx, old.id, accountId)
    await recordOwnAction(tx, acting, { action: 'key.revoked', details })
    return
  }
  await expireKey(tx, accountId, old.id, graceHours)
  await recordOwnAction(tx, acting, { action: 'key.changed', details })
}

/** A key gives no scope that it has not itself: one with `account:manage` would otherwise reach all accounts. */
function requireOwnScopes(own: ReadonlySet<string>, wanted: readonly string[]): void {
  if (!wanted.includes('accounts:manage') || own.has('accounts:manage')) return
  throw new ServiceError(
    'missing_scope',
    'This API key lacks the scope "accounts:manage", so it cannot give it.',
  )
}

function reachOf(access: 'project' | 'dedicated' | 'owner', projectId: string | null | undefined): KeyReach {
  if (access !== 'project') {
    if (projectId) throw wrongField('project_id', 'needs `access` "project"')
    return { kind: access }
  }
  if (!projectId) throw wrongField('project_id', 'is required with `access` "project"')
  return { kind: 'project', projectId }
}

function settingsOf(key: KeyInfo): KeySettings {
  const { dayCapMicros, monthCapMicros, totalCapMicros, requestsPerMinute, concurrentTurns } = key
  const { allowedAddresses, defaults } = key
  const limits = { dayCapMicros, monthCapMicros, totalCapMicros, requestsPerMinute, concurrentTurns }
  return { ...limits, allowedAddresses, defaults }
}

/** What the successor of a key reaches. */
function sameReach({ binding, projectId }: KeyInfo): KeyReach {
  if (binding === 'owner') return { kind: 'owner' }
  return projectId === null ? { kind: 'dedicated' } : { kind: 'project', projectId }
}
