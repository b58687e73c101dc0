/** Amounts are whole micro-credits everywhere. Only the functions of this file convert them from and to text. */

export const microsPerCredit = 1_000_000n

/** Exact decimal text without trailing zeros, such as `1.25` or `0`. */
export function creditsText(micros: bigint): string {
  const sign = micros < 0n ? '-' : ''
  const absolute = micros < 0n ? -micros : micros
  const fraction = (absolute % microsPerCredit).toString().padStart(6, '0').replace(/0+$/, '')
  return `${sign}${absolute / microsPerCredit}${fraction === '' ? '' : `.${fraction}`}`
}

/** The amount as a JSON number. Exact when printed, up to 8 × 10^9 credits. */
export function creditsNumber(micros: bigint): number {
  return Number(creditsText(micros))
}

/**
 * Parses an amount of credits into micro-credits.
 * @returns undefined if the text is not a non-negative number with at most six decimals.
 */
export function parseCredits(text: string): bigint | undefined {
  const match = /^(\d{1,12})(?:\.(\d{1,6}))?$/.exec(text.trim())
  if (!match) return undefined
  return BigInt(match[1] ?? '0') * microsPerCredit + BigInt((match[2] ?? '').padEnd(6, '0'))
}
