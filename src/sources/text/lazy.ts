/** Returns a function that computes a value on its first call and caches it. Most commands never look up a word. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
