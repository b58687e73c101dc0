import { expect, test } from 'vitest'
import { failureText } from '../../src/commands/printing/failure-text.ts'
import { ConfigError } from '../../src/config.ts'

const wrapped = (code: string, message: string) =>
  new Error(`Failed query: insert …\nparams: words of a person`, {
    cause: Object.assign(new Error(message), { code }),
  })

test.each([
  ['53100', 'could not extend file "base/5/1": No space left on device'],
  ['ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:5432'],
  ['55P03', 'canceling statement due to lock timeout'],
])('a database failure %s is one sentence with its reason, without the statement', (code, reason) => {
  expect(failureText(wrapped(code, reason))).toBe(
    `The database failed: ${reason}. When it works again, run the command again.`,
  )
})

test('a fault of the program has its stack, and a refusal only its message', () => {
  expect(failureText(new TypeError('no function'))).toContain('failure-text.unit.test')
  expect(failureText(wrapped('42601', 'syntax error'))).toContain('Failed query')
  expect(failureText(new ConfigError('Set it.'))).toBe('Set it.')
})
