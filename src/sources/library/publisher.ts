import type { Executor } from '../../db/client.ts'
import { type PassageRange, resolveRef } from '../refs/ref-lookup.ts'

/** A text that the library does not hold and its publisher has: where it stands there, and its licence. */
export type AtPublisher = {
  /** The publisher's spelling of the ref. */
  readonly ref: string
  readonly url: string
  /** Licences of the publisher's versions, separated by commas. */
  readonly license: string
}

/**
 * The result of asking the publisher. `held`: the library now has the text, at `ref`. `linked`: the publisher has it,
 * but the service may not store it. `none`: the publisher does not have it, or could not be asked.
 */
export type PublisherAnswer =
  | { readonly kind: 'held'; readonly ref: string }
  | { readonly kind: 'linked'; readonly at: AtPublisher }
  | { readonly kind: 'none' }

/**
 * Asks the publisher for a ref that the library does not have. It takes a bounded time and never throws. After an
 * abort the answer is `none`.
 */
export type AskPublisher = (ref: string, signal?: AbortSignal) => Promise<PublisherAnswer>

/**
 * Finds the places of a ref. A ref that the library does not have is asked of the publisher, if `ask` is given.
 * @throws the reason of `signal` when it is aborted, and database errors.
 */
export async function resolveOnDemand(
  executor: Executor,
  ref: string,
  ask: AskPublisher | undefined,
  signal?: AbortSignal,
): Promise<{ readonly place: PassageRange | undefined; readonly publisher?: AtPublisher }> {
  const held = await resolveRef(executor, ref)
  signal?.throwIfAborted()
  if (held || !ask) return { place: held }
  const answer = await ask(ref, signal)
  signal?.throwIfAborted()
  if (answer.kind === 'linked') return { place: undefined, publisher: answer.at }
  if (answer.kind === 'none') return { place: undefined }
  // The publisher may know a name of the work that the library does not.
  return { place: (await resolveRef(executor, ref)) ?? (await resolveRef(executor, answer.ref)) }
}
