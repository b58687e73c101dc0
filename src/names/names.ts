import { ServiceError } from '../errors.ts'

/**
 * Invisible characters that reverse a name (`gpj.exe` is shown as `exe.jpg`) or make different names look alike. What
 * Hebrew, Persian and emoji need stays: marks of direction, joiners, variation selectors.
 */
const hidden = /[\p{Default_Ignorable_Code_Point}--[\u034f\u061c\u200c-\u200f\ufe00-\ufe0f]]/gv

/** Control characters, and separators that would put a name on two lines. A terminal obeys some of them. */
const controls = /[\p{Cc}\u2028\u2029]/u

const nothingVisible = /^[\p{Default_Ignorable_Code_Point}\p{White_Space}]*$/u

/**
 * The one rule for names that people give to sessions, projects, keys, files and source sheets: without characters that
 * disguise it, and without spaces around it. A name that shows nothing is empty.
 * @param param the field that has the name.
 * @throws ServiceError `invalid_value` for control characters.
 */
export function plainName(text: string, param = 'name'): string {
  const plain = text.toWellFormed().replace(hidden, '').trim()
  if (controls.test(plain)) {
    const message = `The name in \`${param}\` has control characters, such as line breaks. Remove them.`
    throw new ServiceError('invalid_value', message, { param })
  }
  return nothingVisible.test(plain) ? '' : plain
}

/**
 * Like `plainName`, for what needs a name.
 * @throws ServiceError `invalid_value` also for a name that shows nothing.
 */
export function requiredName(text: string, param = 'name'): string {
  const name = plainName(text, param)
  if (name !== '') return name
  throw new ServiceError(
    'invalid_value',
    `The name in \`${param}\` shows nothing. Give it letters or digits.`,
    { param },
  )
}
