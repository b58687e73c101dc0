/**
 * The value of an option of a command line.
 * @throws TypeError for a text that is no number from 0.
 */
export function numberOption(name: string, text: string | undefined, preset: number): number {
  if (text === undefined) return preset
  const value = Number(text)
  if (text.trim() === '' || !(value >= 0)) throw new TypeError(`--${name} must be a number: ${text}`)
  return value
}
