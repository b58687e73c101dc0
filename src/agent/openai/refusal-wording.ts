/** What refusals call `response_format` besides its name. Many servers refuse it only beside tools. */
export const answerFormatNames: readonly string[] = [
  'response format',
  'response mime type',
  'json mode',
  'json_object',
  'json_schema',
  'structured output',
  'grammar constraints',
]

/** A complaint about the size of a value. The client can mend it, and other values may be accepted. */
export const sizeComplaint =
  /too (?:large|small|high|low|many|long)|at (?:most|least)|(?:less|greater|higher|lower|more) than|between|maximum|minimum|range|exceed/i

const parameterWord = '(?:parameter|argument|field|property|key|input|option)s?'

/**
 * Whether a refusal names a parameter. A name that is also an English word, such as "stop", must stand as a name: quoted, or
 * after "parameter" or a synonym, also in a list behind a colon ("Argument not supported on this model: stop").
 * @param text the refusal, without the backslashes of its JSON.
 */
export function namesParameter(text: string, name: string): boolean {
  const escaped = RegExp.escape(name)
  const isName = /[_. ]|\B[A-Z]/.test(name) || name === 'temperature'
  if (isName) return new RegExp(`(?<!\\w)${escaped}s?(?!\\w)`, 'i').test(text)
  const introduced = `${parameterWord}\\b(?:[^.:]{0,80}:)? (?:\\w+, )*${escaped}\\b`
  const followed = `\\b${escaped} (?:parameter|argument|field|is not supported)`
  return new RegExp(`["'\`]${escaped}["'\`]|${introduced}|${followed}`, 'i').test(text)
}
