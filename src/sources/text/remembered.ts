/** Longer keys are rarely met again, and anybody can send one of any length. */
const longestKey = 400

/** A function that remembers what it made of up to `max` keys; when there are more, it forgets all. */
export function remembered<T>(max: number, make: (key: string) => T): (key: string) => T {
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
