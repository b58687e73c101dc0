import { validateHeaderName, validateHeaderValue } from 'node:http'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'

/** Proxies whose `X-Forwarded-*` headers are trusted: none, their number, or their addresses and ranges. */
export type TrustProxy = false | number | readonly string[]

export const optionalText = z.string().trim().min(1).optional()

export const postgresUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//, 'must start with postgres:// or postgresql://')
  .refine(
    isReadableUrl,
    'is no URL: encode special characters of the password, such as %40 for @, and check the port',
  )
  .optional()

const webUrl = z
  .string()
  .regex(/^https?:\/\//, 'must start with http:// or https://')
  // Parsed by later code too. A text that is no URL would end the start with a stack, or fail in the middle of a turn.
  .refine((text) => URL.canParse(text), 'is no URL: check its host and port')

export const httpUrl = webUrl.transform((url) => url.replace(/\/+$/, '')).optional()

/** An address of the pages. They and their forms are at the root of a host, so a path would only break links. */
export const rootUrl = webUrl
  .refine(isRoot, 'must be scheme and host without a path, such as https://chat.example.org')
  .transform((url) => new URL(url).origin)
  .optional()

function isRoot(text: string): boolean {
  if (!URL.canParse(text)) return true // The refusal of the schema before it is enough.
  const { pathname, search, hash, username, password } = new URL(text)
  return pathname === '/' && search + hash + username + password === ''
}

/** Ranges that Fastify knows by name. */
const namedRanges: readonly string[] = ['loopback', 'linklocal', 'uniquelocal']

const trustProxyRemedy =
  'must be the number of proxies before the service (1 to 16), or their addresses separated by commas, such as 127.0.0.1 or 10.0.0.0/8'

export const trustProxy = z.string().transform((text, context): TrustProxy => {
  const value = text.trim().toLowerCase()
  if (value === 'false') return false
  if (/^([1-9]|1[0-6])$/.test(value)) return Number(value)
  const entries = listOf(value)
  if (entries.length > 0 && entries.every(isAddressRange)) return Object.freeze(entries)
  const why = value === 'true' ? ': "true" would trust addresses that clients write themselves' : ''
  context.addIssue({ code: 'custom', message: trustProxyRemedy + why })
  return z.NEVER
})

export const corsOrigins = z.string().transform((text, context): readonly string[] => {
  const origins = listOf(text)
  const wrong = origins.find((origin) => !isOrigin(origin))
  if (wrong === undefined) return Object.freeze(origins)
  const message = `must be origins separated by commas, such as https://app.example.org; "${wrong}" is not an origin`
  context.addIssue({ code: 'custom', message })
  return z.NEVER
})

/** Hosts as `URL.host` writes them. */
export const hostList = z.string().transform((text, context): readonly string[] => {
  const hosts = listOf(text.toLowerCase())
  const wrong = hosts.find((host) => URL.parse(`https://${host}/`)?.host !== host)
  if (wrong === undefined) return Object.freeze(hosts)
  const message = `must be host names separated by commas, such as files.example.org; "${wrong}" is none`
  context.addIssue({ code: 'custom', message })
  return z.NEVER
})

export const fallbackLicenses = z.string().transform((text, context): readonly ('cc-by-nc' | 'unknown')[] => {
  const licenses = listOf(text.toLowerCase())
  const known = licenses.filter((name) => name === 'cc-by-nc' || name === 'unknown')
  if (known.length === licenses.length) return Object.freeze(known)
  context.addIssue({ code: 'custom', message: 'must be cc-by-nc, unknown, or both, separated by commas' })
  return z.NEVER
})

export const smtpUrl = z
  .string()
  .regex(/^smtps?:\/\//, 'must start with smtp:// or smtps://')
  .refine(
    (text) => URL.canParse(text) && new URL(text).hostname !== '',
    'is no URL: encode special characters of the password, such as %40 for @, and check the port',
  )
  .optional()

export const mailAddress = z
  .string()
  .trim()
  .regex(
    /^(?:[^<>@\r\n]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/,
    'must be an address, or Name <address>',
  )
  .optional()

/** A bucket, and the beginning of the names of its objects. */
export const bucketUrl = z
  .string()
  .regex(
    /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[\w.-]+)*\/*$/,
    'must be s3://bucket or s3://bucket/prefix',
  )
  .transform((url) => url.replace(/\/+$/, ''))
  .optional()

/** The kinds of data that a host can have deleted by age. */
const retentionKinds = ['conversations', 'files', 'feedback', 'deliveries'] as const
export type RetentionDays = Readonly<Partial<Record<(typeof retentionKinds)[number], number>>>

const maxRetentionDays = 36_500

export const retentionDays = z
  .string()
  .transform((text, context): RetentionDays => {
    const days: Partial<Record<string, number>> = {}
    for (const entry of listOf(text)) {
      const [, kind = '', number] = /^(\w+)\s*=\s*(\d{1,5})$/.exec(entry) ?? []
      const isKnown = retentionKinds.some((name) => name === kind)
      const isRight = isKnown && Number(number) >= 1 && Number(number) <= maxRetentionDays
      if (!isRight || days[kind] !== undefined) {
        const why = kind === 'audit' ? 'entries of the audit log are immutable' : `"${entry}" is not`
        const message = `must be kind=days, separated by commas, each kind once: ${why}. Kinds: ${retentionKinds.join(', ')}; days: 1 to ${maxRetentionDays}`
        context.addIssue({ code: 'custom', message })
        return z.NEVER
      }
      days[kind] = Number(number)
    }
    return Object.freeze(days)
  })
  .optional()

/** A folder, or an address that is asked without a password. */
export const folderOrUrl = z
  .string()
  .min(1)
  .refine(
    (text) => !/^https?:\/\//i.test(text) || URL.canParse(text),
    'is no URL: check its host and port, or name a folder',
  )
  .refine(
    (text) => !hasCredentials(text),
    'must be an address without a user and a password: use a mirror that needs none, or a folder',
  )
  .optional()

function hasCredentials(text: string): boolean {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false
  const { username, password } = new URL(text)
  return username + password !== ''
}

/**
 * Headers as OpenTelemetry writes them: `name=value,name=value`, with values percent-encoded (specification of the
 * OTLP exporter, "Specifying headers via environment variables").
 */
export const otlpHeaders = z.string().transform((text, context): Readonly<Record<string, string>> => {
  const entries = listOf(text).map((entry) => headerOf(entry))
  const read = entries.filter((entry) => entry !== undefined)
  if (read.length === entries.length) return Object.freeze(Object.fromEntries(read))
  // The text holds a token, so the message names none of it.
  context.addIssue({
    code: 'custom',
    message: 'must be name=value, separated by commas, such as x-token=abc',
  })
  return z.NEVER
})

function headerOf(entry: string): readonly [string, string] | undefined {
  const at = entry.indexOf('=')
  const name = entry.slice(0, Math.max(at, 0)).trim()
  try {
    const value = decodeURIComponent(entry.slice(at + 1).trim())
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return [name, value]
  } catch {
    return undefined
  }
}

function listOf(text: string): string[] {
  const entries = text.split(',').map((entry) => entry.trim())
  return entries.filter((entry) => entry !== '')
}

function isAddressRange(text: string): boolean {
  if (namedRanges.includes(text)) return true
  // The parser would read a shorthand such as 10.1 as 10.0.0.1.
  const full = text.includes(':') || /^\d+\.\d+\.\d+\.\d+(\/\d+)?$/.test(text)
  // A prefix of /0 would trust every address, as "true" would.
  return full && !/\/0+$/.test(text) && (ipaddr.isValid(text) || ipaddr.isValidCIDR(text))
}

/** Whether the text is exactly what browsers send as `Origin`: no path, no capital letters, no default port. */
function isOrigin(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).origin === text
}

export const portRange = 'must be a whole number from 0 to 65535'

function isReadableUrl(text: string): boolean {
  try {
    decodeURI(new URL(text).href)
    return true
  } catch {
    return false
  }
}
