import { bodySizes, type Case, type Step } from './case.ts'
import { headCases } from './head-cases.ts'
import type { ServedRoute } from './loop-probe.ts'
import { type PageForm, type PageParts, partsOf } from './page-forms.ts'
import { textKinds } from './text-kinds.ts'
import { pathWithIds, type Things } from './things.ts'
import { uploadCases } from './upload-cases.ts'
import type { World } from './world.ts'

type Page = { readonly method: string; readonly url: string; readonly page: string }

/** Cases for all pages of the service: paths, queries, cookies and the fields of forms. */
export async function pageCases(world: World): Promise<readonly Case[]> {
  const { things } = world
  const pages = world
    .service()
    .routes.filter((route): route is ServedRoute & Page => route.page !== undefined)
  const gets = pages.filter(({ method }) => method === 'GET')
  const parts = await Promise.all(gets.map((page) => partsOfPage(world, pathWithIds(page.url, things))))
  return pages.flatMap((page) => {
    if (page.method === 'GET') return getCases(page, parts, things)
    return page.method === 'POST' ? postCases(page, parts, things) : []
  })
}

async function partsOfPage(world: World, path: string): Promise<PageParts> {
  const get = { method: 'GET', path }
  const [signedIn, nobody] = await Promise.all([world.send(get, 'visitor'), world.send(get, 'nobody')])
  const [one, other] = [partsOf(signedIn.text, path), partsOf(nobody.text, path)]
  return { forms: [...one.forms, ...other.forms], links: [...one.links, ...other.links] }
}

const nameOfPage = ({ method, url }: Page): string => `page ${method} ${url}`

function getCases(page: Page, parts: readonly PageParts[], things: Things): readonly Case[] {
  const matches = matcherOf(page.url)
  const addresses = parts.flatMap(({ links }) => links).filter((link) => matches.test(link))
  const forms = parts
    .flatMap((part) => part.forms)
    .filter((form) => form.method === 'GET' && matches.test(form.action))
  const named = addresses.flatMap((link) => [...new URL(link, 'http://x').searchParams.keys()])
  const names = new Set([
    ...named,
    ...forms.flatMap(({ fields }) => Object.keys(fields)),
    'next',
    'done',
    'after',
  ])
  const plain = { method: 'GET', path: pathWithIds(page.url, things) }
  const params = [...page.url.matchAll(/:\w+|\*/g)].map(
    ([name]) => [name, pathWithIds(page.url, things, '{}').replace('none', '{}')] as const,
  )
  return readers(page).flatMap((as) =>
    headCases(
      nameOfPage(page),
      plain,
      { path: params, query: [...names], headers: ['cookie', 'accept'] },
      as,
    ),
  )
}

/** Public pages have another content for people who are signed in, so both are requested. */
const readers = ({ page }: Page): readonly Step['as'][] =>
  page === 'anyone' ? ['nobody', 'visitor'] : ['visitor']

function postCases(page: Page, parts: readonly PageParts[], things: Things): readonly Case[] {
  const subject = nameOfPage(page)
  const matches = matcherOf(page.url)
  const form = parts
    .flatMap(({ forms }) => forms)
    .find((one) => one.method === 'POST' && matches.test(one.action))
  // Forms that delete or end something use unknown ids, so that every request meets the same state.
  const takesAway = /\/(delete|revoke|signout|suspend)$/.test(page.url)
  const path = pathWithIds(page.url, things, takesAway ? 'none' : undefined)
  const as = page.page === 'anyone' ? 'nobody' : 'visitor'
  if (form?.isMultipart) return uploadCases(subject, 'POST', path, as, things)
  const fields = form?.fields ?? { name: '', value: '' }
  const made = (part: string, kind: string, body: (bytes: number) => string): Case => ({
    subject,
    part,
    kind,
    sizes: formSizes,
    step: (bytes) => ({
      subject,
      as,
      request: { method: 'POST', path, headers: formHeaders, body: body(bytes) },
    }),
  })
  return [
    made('form', 'many fields', (bytes) => filled(fields) + '&a=b'.repeat(bytes / 4)),
    made('form', 'one field again and again', (bytes) => '&name=b'.repeat(bytes / 7)),
    made('form', 'escapes', (bytes) => `name=${'%D7'.repeat(bytes / 3)}`),
    ...[...Object.keys(fields), 'unknown'].flatMap((name) =>
      textKinds.map((kind) =>
        made(`field ${name}`, kind.name, (bytes) =>
          filled({ ...fields, [name]: kind.text({ characters: bytes }) }, name),
        ),
      ),
    ),
  ]
}

const formHeaders = { 'content-type': 'application/x-www-form-urlencoded' }
/** Fields have small bounds, so sizes up to these matter most. */
const formSizes = [40, 200, 1_000, ...bodySizes.slice(2)]

let filledForms = 0

/** A form with all fields filled in; the field `bait` is left for the value of the case. */
function filled(fields: PageForm['fields'], bait?: string): string {
  filledForms += 1
  const pairs = Object.entries(fields).map(([name, value]): [string, string] => {
    if (name === bait) return [name, value]
    // Each form names another account, because guesses at one account are limited.
    if (name === 'email') return [name, `someone-${filledForms}@stalls.example`]
    return [name, value || 'wrong words of no account']
  })
  return new URLSearchParams(pairs).toString()
}

/** Matches URLs of a route, such as `/files/:id`. */
function matcherOf(url: string): RegExp {
  const pattern = url
    .replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll(/:\w+/g, '[^/?#]+')
    .replace('/*', '/.*')
  return new RegExp(`^${pattern}(?:[?#]|$)`)
}
