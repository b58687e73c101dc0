import { expect, test } from 'vitest'
import { shortened } from '../../src/agent/extractive/shorten.ts'
import { estimateTokens } from '../../src/agent/tokens.ts'

const text = 'One lamp gives light. Another lamp gives more light to the whole room. A third one waits.'

test('a text that fits is returned as it is', () => {
  expect(shortened(text, 1000)).toBe(text)
})

test('a longer text ends with a sentence, or with a word if that keeps too little', () => {
  expect(shortened(text, 18)).toBe('One lamp gives light. Another lamp gives more light to the whole room.')
  expect(shortened(text, 12)).toBe('One lamp gives light. Another lamp gives more')
})

test('no limit is exceeded and no character is split', () => {
  for (const sample of [text, 'אור גדול מאיר את החדר כולו. ועוד נר.', '😀'.repeat(40)]) {
    for (let limit = 1; limit < 25; limit += 1) {
      const kept = shortened(sample, limit)
      expect(estimateTokens(kept)).toBeLessThanOrEqual(limit)
      expect(sample.startsWith(kept)).toBe(true)
      expect(kept.isWellFormed()).toBe(true)
    }
  }
})
