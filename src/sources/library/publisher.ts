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
