/**
 * Characters that a terminal obeys, except line breaks and tabs, and those that reverse a text. Names from earlier
 * versions, addresses and titles may have them.
 */
const obeyed = /[[\p{Cc}--[\n\t]]\u202a-\u202e\u2066-\u2069\u2028\u2029]/gv

/** Text that shows what it has. The escapes are also those of JSON, so that programs read the same values. */
export function terminalText(text: string): string {
  return text.replace(obeyed, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
