import pLimit from 'p-limit'
import type { ExportEntry, ExportSource } from '../importers/sefaria/export-source.ts'
import { licenseOf } from '../importers/sefaria/format/version.ts'
import {
  classifyLicense,
  type LicenseClass,
  mayImport,
  type RestrictedLicense,
  restrictedLicenses,
} from '../library/licenses.ts'
import { filesOf, type Plan } from './plan.ts'

/** Size and licence of the files of a plan. */
export type Survey = {
  /** Bytes of each file whose size is known, by the id of its entry. */
  readonly bytes: ReadonlyMap<string, number>
  /** Sum of the known sizes. */
  readonly totalBytes: number
  /** Licences of the files, the most frequent first. */
  readonly licenses: readonly LicenseCount[]
  /** Number of files whose licence is not known before they are read. */
  readonly unseen: number
}

export type LicenseCount = {
  readonly license: string
  readonly kind: LicenseClass
  readonly files: number
}

const atOnce = 24
const longestMs = 20_000

/**
 * Reads the beginning of every file of a plan. A file that cannot be read in time counts as unseen, because the
 * import reads it again.
 */
export async function surveyPlan(
  source: ExportSource,
  plan: Plan,
  options: { readonly signal?: AbortSignal | undefined; readonly timeoutMs?: number } = {},
): Promise<Survey> {
  const timeout = AbortSignal.timeout(options.timeoutMs ?? longestMs)
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout
  const limit = pLimit(atOnce)
  const files = filesOf(plan)
  const heads = await Promise.all(files.map((entry) => limit(() => headOf(source, entry, signal))))
  const bytes = new Map<string, number>()
  const licenses = new Map<string, number>()
  heads.forEach((head, i) => {
    if (head?.bytes !== undefined) bytes.set(files[i]?.id ?? '', head.bytes)
    if (head?.license !== undefined) licenses.set(head.license, (licenses.get(head.license) ?? 0) + 1)
  })
  const counted = [...licenses].map(([license, count]) => ({
    license,
    kind: classifyLicense(license),
    files: count,
  }))
  return {
    bytes,
    totalBytes: [...bytes.values()].reduce((sum, size) => sum + size, 0),
    licenses: counted.toSorted((a, b) => b.files - a.files || (a.license < b.license ? -1 : 1)),
    unseen: files.length - counted.reduce((sum, { files: count }) => sum + count, 0),
  }
}

/**
 * The classes of licences in a survey that the operator must allow, and has not allowed yet. All of them if a file
 * does not state its licence at its beginning: it may have any.
 */
export function needsPermission(
  { licenses, unseen }: Survey,
  allowed: readonly RestrictedLicense[],
): readonly RestrictedLicense[] {
  if (unseen > 0) return restrictedLicenses.filter((kind) => !allowed.includes(kind))
  const kinds = new Set(
    licenses.filter(({ license }) => !mayImport(license, allowed)).map(({ kind }) => kind),
  )
  return restrictedLicenses.filter((kind) => kinds.has(kind))
}

async function headOf(source: ExportSource, entry: ExportEntry, signal: AbortSignal) {
  if (signal.aborted) return undefined
  const head = await source.head(entry, signal).catch(() => undefined)
  return head && { bytes: head.bytes, license: licenseIn(head.text) }
}

/** The licence that the beginning of a version file states, before its text. Undefined: it may follow later. */
function licenseIn(text: string): string | undefined {
  const [, written] = /"license"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(text) ?? []
  if (written !== undefined) return licenseOf({ license: unescaped(written).trim() })
  return /"text"\s*:\s*[[{"]/.test(text) ? licenseOf({ license: '' }) : undefined
}

/** The value of a string in JSON; empty when its escapes are wrong. The import reports such a file. */
function unescaped(written: string): string {
  try {
    return String(JSON.parse(written))
  } catch {
    return ''
  }
}
