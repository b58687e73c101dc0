import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { isNavigation } from '../components/page.ts'

/** A form that was refused, with all its fields. */
export type KeptForm = {
  readonly action: string
  readonly fields: readonly (readonly [name: string, value: string])[]
  /** Names of the fields that people write in. */
  readonly written: RegExp
}

/** The forms that people write in: the path that each is sent to, and its written fields. No form with a password. */
const writtenForms: readonly (readonly [path: RegExp, written: RegExp])[] = [
  [/^\/ask$/, /^question$/],
  [/^\/runs\/[^/]+\/branch$/, /^question$/],
  [/^\/runs\/[^/]+\/feedback$/, /^note$/],
  [/^\/(?:sessions|projects|files)\/[^/]+\/rename$/, /^name$/],
  [/^\/projects$/, /^name$/],
  [/^\/projects\/[^/]+\/instructions$/, /^instructions$/],
  [/^\/settings\/keys(?:\/[^/]+)?$/, /^name$/],
  [/^\/settings\/alerts\/budgets$/, /^credits$/],
  [/^\/settings\/alerts\/webhooks(?:\/[^/]+)?$/, /^url$/],
  [/^\/settings\/members\/invite$/, /^email$/],
  [/^\/library\/marks$/, /^note$/],
  [/^\/sheets(?:\/add)?$/, /^title$/],
  [/^\/sheets\/(?!add$)[^/]+$/, /^(?:title|intro|ref|(?:heading|text)-.+)$/],
  [/^\/operator\/accounts$/, /^email$/],
  [/^\/operator\/accounts\/[^/]+\/(?:grant|take-back)$/, /^amount$/],
  [/^\/operator\/accounts\/[^/]+\/hold$/, /^reason$/],
]

/** Characters of the fields that a sign-in can carry: its own form may have 1 MiB, and a letter can take 9 bytes. */
const maxCarried = 100_000

const carriedForm = z.object({
  action: z.string().max(500),
  fields: z.array(z.tuple([z.string(), z.string()])).max(320),
})

/** Whether a request sends a form that people write in, from a window that shows the reply. */
export function isWrittenForm(request: FastifyRequest): boolean {
  const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true
  return isForm && isNavigation(request) && writtenFieldsOf(pathOf(request)) !== undefined
}

/** The form of a request with what was written; undefined for other requests, and where nothing was written. */
export function keptForm(request: FastifyRequest): KeptForm | undefined {
  if (!isWrittenForm(request)) return undefined
  const fields = Object.entries(request.body ?? {}).flatMap(([name, value]) =>
    [value].flat().map((one) => [name, clean(String(one))] as const),
  )
  return withWritten({ action: pathOf(request), fields })
}

/** The form as one hidden field of the form to sign in; undefined if it is too long. */
export function carriedText({ action, fields }: KeptForm): string | undefined {
  const length = fields.reduce((sum, [name, value]) => sum + name.length + value.length, 0)
  return length > maxCarried ? undefined : JSON.stringify({ action, fields })
}

/** Reads `carriedText`. What a browser sends back is checked like any input: only a form of these pages is read. */
export function readCarried(text: string | undefined): KeptForm | undefined {
  if (!text) return undefined
  try {
    const form = carriedForm.parse(JSON.parse(text))
    return withWritten({ ...form, fields: form.fields.map(([name, value]) => [name, clean(value)] as const) })
  } catch {
    return undefined
  }
}

function withWritten(form: Omit<KeptForm, 'written'>): KeptForm | undefined {
  const written = writtenFieldsOf(form.action)
  const hasWords = form.fields.some(([name, value]) => written?.test(name) && value.trim() !== '')
  return written && hasWords ? { ...form, written } : undefined
}

function writtenFieldsOf(path: string): RegExp | undefined {
  return writtenForms.find(([pattern]) => pattern.test(path))?.[1]
}

function pathOf({ url }: FastifyRequest): string {
  return url.split('?')[0] ?? ''
}

function clean(text: string): string {
  return text.replaceAll('\0', '').replaceAll('\r\n', '\n')
}
