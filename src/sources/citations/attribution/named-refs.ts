import type { AtPublisher } from '../../library/publisher.ts'
import type { FoundRef } from '../../refs/in-text/find-refs.ts'
import type { WorkInText } from '../../refs/in-text/works-in-text.ts'
import type { QuoteLookups } from '../comparison/stretch.ts'

/** A ref that a text names. `written` is empty for a ref of the request that is not in the text. */
export type NamedRef = FoundRef

/**
 * Looks one ref up in the library. With `similarTitles`, the nearest refs may belong to works with similar titles.
 */
export type RefLookup = (
  ref: string,
  similarTitles?: boolean,
) => Promise<{ readonly exists: boolean; readonly nearest: readonly string[] }>

/** All queries that verification sends to the library. */
export type VerifyLookups = QuoteLookups & {
  /**
   * Finds the refs of a text, in order, without overlaps. With `numbersOnly`, a text without numbers causes no query.
   */
  readonly refsIn: (text: string, options?: { readonly numbersOnly: boolean }) => Promise<readonly NamedRef[]>
  /** Finds the works that a text names, in order, without overlaps. */
  readonly worksIn: (text: string) => Promise<readonly WorkInText[]>
  readonly resolveRef: RefLookup
  /** Whether the words are the title of a work, the title of a part, or a ref. */
  readonly isTitle: (words: string) => Promise<boolean>
}

/**
 * A ref of the text or of the request, in a reply. `nearest` is null if the ref exists or no similar ref was found.
 */
export type RefCheck = {
  /** The full ref that was looked up. */
  readonly ref: string
  readonly exists: boolean
  readonly nearest: string | null
  /** The ref as written in the text. Absent for a ref of the request. */
  readonly text?: string
  /** The spelling of the library. Absent when it equals `ref`. */
  readonly found_ref?: string
  /** Where its publisher has it, if the service asked and may not store it. Only in answers. */
  readonly publisher?: AtPublisher
}

/** Converts refs to their form in a reply, without duplicates. */
export function toRefChecks(refs: readonly NamedRef[]): readonly RefCheck[] {
  const checks = new Map<string, RefCheck>()
  for (const ref of refs) if (!checks.has(ref.asked)) checks.set(ref.asked, checkOf(ref))
  return [...checks.values()]
}

function checkOf({ asked, written, outcome, ref, nearest }: NamedRef): RefCheck {
  const exists = outcome === 'found' || outcome === 'ambiguous'
  return {
    ref: asked,
    exists,
    nearest: exists ? null : (nearest[0] ?? null),
    ...(written !== '' && { text: written }),
    ...(ref !== null && ref !== asked && { found_ref: ref }),
  }
}

/** Looks up the refs of a request. */
export async function lookUpRefs(
  refs: readonly string[],
  resolveRef: RefLookup | undefined,
): Promise<readonly NamedRef[]> {
  if (resolveRef === undefined) return []
  return Promise.all(
    refs.map(async (asked): Promise<NamedRef> => {
      const { exists, nearest } = await resolveRef(asked, true)
      const found = exists
        ? { outcome: 'found' as const, ref: asked }
        : { outcome: 'missing' as const, ref: null }
      return { start: 0, end: 0, written: '', asked, nearest, ...found }
    }),
  )
}
