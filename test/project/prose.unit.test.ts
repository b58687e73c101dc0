import { expect, test } from 'vitest'
import { proseFaults, wordFaults } from '../../build/prose/faults.ts'

const words = (count: number) => `${Array(count).fill('word').join(' ')}.`

test('a sentence above 35 words is refused, with its line', () => {
  expect(proseFaults('a.md', `# Title\n\n${words(35)}\n\nShort. ${words(36)}`)).toEqual([
    expect.stringContaining('a.md:5: 36 words, at most 35'),
  ])
})

test('a sentence that runs over lines counts as one', () => {
  expect(proseFaults('a.md', words(36).replaceAll('word word', 'word\nword'))).toHaveLength(1)
})

test('code, tables and headings do not count, and a list item is a paragraph', () => {
  const code = `\`\`\`\nanew ${words(40)}\n\`\`\``
  const list = `- ${words(20)}\n- ${words(20)}`
  expect(proseFaults('a.md', `${code}\n\n| anew ${words(40)} |\n\n# anew\n\n${list}`)).toEqual([])
})

test('a word that the glossary replaces is refused with the better one', () => {
  expect(proseFaults('a.md', 'The index is made anew.')).toEqual([
    'a.md:1: "anew": write "again" or "reset".',
  ])
  expect(wordFaults('a.ts', '// made anew\nconst text = `It is no sign of life.`')).toEqual([
    'a.ts:2: "sign of life": write "heartbeat".',
  ])
})
