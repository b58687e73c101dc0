import fc from 'fast-check'

/**
 * Texts of any code points, also of halves of pairs. Like fast-check's unit `binary`, which first builds a map of all 1.1
 * million: a second of processor time for each process.
 */
export const anyText = (maxLength?: number): fc.Arbitrary<string> => {
  const unit = fc.integer({ min: 0, max: 0x10_ffff }).map((point) => String.fromCodePoint(point))
  return fc.string(maxLength === undefined ? { unit } : { unit, maxLength })
}
