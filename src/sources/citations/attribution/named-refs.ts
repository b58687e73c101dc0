import type { FoundRef } from '../../refs/in-text/find-refs.ts'
import type { QuoteLookups } from '../comparison/checker.ts'

/** A ref that a text names, or one that was asked for beside it, whose `written` is empty then. */
export type NamedRef = Omit<FoundRef, 'place'>

/** What the library says about one ref; with `similarTitles` the nearest may stand under another title. */
export type RefLookup = (
  ref: string,
  similarTitles?: boolean,
) => Promise<{ readonly exists: boolean; readonly nearest: readonly string[] }>

/** Everything that verifying asks of the library. */
export type VerifyLookups = QuoteLookups & {
  /** The refs of a text, in order and apart; with `numbersOnly` a text without numbers asks the library nothing. */
  readonly refsIn: (text: string, options?: { readonly numbersOnly: boolean }) => Promise<readonly NamedRef[]>
  readonly resolveRef: RefLookup
  /** Whether words are the title of a work or of a part of it, or a ref. */
  readonly isTitle: (words: string) => Promise<boolean>
}

/** One ref of the text, or one that was asked for, in a reply. `nearest` is null if it exists or nothing is near. */
export type RefCheck = {
  /** In full, as the library was asked. */
  readonly ref: string
  readonly exists: boolean
  readonly nearest: string | null
  /** As it stands in the text; absent for one that was asked for. */
  readonly text?: string
  /** As the library writes it, where that is not `ref`. */
  readonly found_ref?: string
}

/** What a reply says about refs, each once. */
export function checksOf(refs: readonly NamedRef[]): readonly RefCheck[] {
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

/** Looks up refs that were asked for beside a text. */
export async function askedRefs(
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
