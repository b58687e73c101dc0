/** Returns a function that computes a value on its first call and caches it. Most commands never look up a word. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
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
