import { expect, test } from 'vitest'
import { plainText } from '../../src/web/pages/exports/plain-text.ts'

test('an answer in a document has no signs of Markdown, and all its words', () => {
  const text =
    '### Title\n\n- **one** and *two* [1]\n> “quoted” by [a host](https://example.org/x_(y))\n\n`code` 2 * 3 * 4 snake_case_name'
  expect(plainText(text)).toBe(
    'Title\n\n• one and two [1]\n“quoted” by a host\n\ncode 2 * 3 * 4 snake_case_name',
  )
})
