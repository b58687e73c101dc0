import { runInTimeSlices } from './time-slices.ts'

/** Returns a function that computes a value on its first call and caches it. Most commands never look up a word. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** A value that its first use makes. Whoever needs it later can have it made in advance. */
export type LazyValue<T> = {
  (): T
  /** The steps that are left, for other values that are made of this one. */
  steps(): Generator<undefined, T>
  /** Makes the value in slices between which the event loop runs. */
  load(): Promise<void>
}

/**
 * Like `lazy`, for a value that takes long to make. A use while it is made does the steps that are left at once.
 * @param make yields after each short step.
 */
export function lazyInSteps<T>(make: () => Generator<undefined, T>): LazyValue<T> {
  let made: { readonly value: T } | undefined
  let work: Generator<undefined, T> | undefined
  const step = (): void => {
    const current = work ?? make()
    // A generator that has failed gives nothing more, so the next use begins again.
    work = undefined
    const { done, value } = current.next()
    if (done) made = { value }
    else work = current
  }
  function* steps(): Generator<undefined, T> {
    while (!made) {
      step()
      yield
    }
    return made.value
  }
  const value = (): T => {
    while (!made) step()
    return made.value
  }
  const load = async (): Promise<void> => {
    await runInTimeSlices(steps())
  }
  return Object.assign(value, { steps, load })
}

/** Longer keys are not cached. They rarely occur again, and a client can send keys of any length. */
const longestKey = 400

/** Returns a function that caches the results for up to `max` keys. When the cache is full, it is cleared. */
export function memoize<T>(max: number, make: (key: string) => T): (key: string) => T {
  const known = new Map<string, T>()
  return (key) => {
    const found = known.get(key)
    if (found !== undefined) return found
    const made = make(key)
    if (known.size >= max) known.clear()
    if (key.length <= longestKey) known.set(key, made)
    return made
  }
}
