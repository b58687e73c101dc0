import fc from 'fast-check'
import { expect, test } from 'vitest'
import { GrowingText } from '../../src/agent/growing-text.ts'

test('a growing text has its whole text and length at any time, however it was cut', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string(), fc.boolean()), { maxLength: 60 }), (pieces) => {
      const text = new GrowingText()
      let all = ''
      for (const [piece, look] of pieces) {
        text.add(piece)
        all += piece
        expect(text.length).toBe(all.length)
        if (look) expect(text.toString()).toBe(all)
      }
      expect(text.toString()).toBe(all)
    }),
  )
})
