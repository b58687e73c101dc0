/** `[` with an optional bullet before it, and the beginning of a number. */
const numberedStart =
  /^(?:[>*_\-•\s]|\d{1,3}[.)] )*(?:\d{0,3}[.)]?$|[[【](?:\d{1,3}(?:†[^\]】\n]{0,30})?(?:[\]】]|$)|$))/

/** Whether a possibly incomplete line may begin with a number in brackets. */
export function mayBeNumbered(line: string): boolean {
  return numberedStart.test(line)
}

const numbers =
  /^(?:[[【] ?[1-9]\d{0,2}(?: ?[,;–-] ?[1-9]\d{0,2}){0,20} ?(?:†[^】\]\n]{0,30})?[\]】]|\((?:\[[1-9]\d{0,2}\](?:[,;] ?)?){1,8}\))/

/** Returns the numbers in brackets at the start of a text: `[1]`, `[1, 2]`, `【3†source】`, `([1], [2])`. */
export function numberGroup(text: string): string | undefined {
  return numbers.exec(text)?.[0]
}

/** Whether a group contains a number that the client sent. */
export function namesGiven(text: string, given: ReadonlySet<number>): boolean {
  if (given.size === 0) return false
  return [...text.slice(0, 100).matchAll(/\d{1,3}/g)].some(([number]) => given.has(Number(number)))
}

/** Whether brackets after these characters are an index, as in `a[1]` or `row_2[1]`. Words of prose are longer. */
export function isIndexed(before: string): boolean {
  return /(?:^|[^\p{L}\p{M}])[A-Za-z]$|[\d_\])]$/u.test(before)
}

/** Longer inline code is not recognised. */
export const longestCode = 300

/** Finds the end of inline code that begins with this number of backticks, if it closes in the same line. */
export function closingRun(line: string, length: number): number | undefined {
  const looked = line.slice(0, longestCode)
  for (const match of looked.slice(length).matchAll(/`+/g)) {
    const end = length + match.index + match[0].length
    // A run at the end of the window may continue after it.
    if (match[0].length === length && (end < looked.length || looked === line)) return end
  }
  return undefined
}
