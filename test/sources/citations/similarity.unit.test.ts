import fc from 'fast-check'
import { expect, it } from 'vitest'
import { nearestWindow } from '../../../src/sources/citations/comparison/similarity.ts'
import { times } from '../../support/full.ts'

const plenty = () => ({ left: 1e12 })

/** The textbook table. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

function minOfAllWindows(pattern: string, text: string): number {
  let least = pattern.length
  for (let start = 0; start <= text.length; start += 1) {
    for (let end = start; end <= text.length; end += 1) {
      least = Math.min(least, editDistance(pattern, text.slice(start, end)))
    }
  }
  return least
}

const letters = (min: number, max: number) =>
  fc.string({ unit: fc.constantFrom('a', 'b', 'ש'), minLength: min, maxLength: max })

it('the window has the least edit distance and the similarity of its own text', async () => {
  await fc.assert(
    fc.asyncProperty(letters(1, 8), letters(1, 14), async (pattern, text) => {
      const window = await nearestWindow(pattern, text, 0, plenty())
      const found = text.slice(window?.start, window?.end)
      const distance = editDistance(pattern, found)
      expect(distance).toBe(minOfAllWindows(pattern, text))
      expect(window?.similarity).toBeCloseTo(1 - distance / Math.max(pattern.length, found.length))
    }),
    { numRuns: times(100, 300) },
  )
})

it('is exact for patterns longer than one machine word', async () => {
  await fc.assert(
    fc.asyncProperty(
      letters(30, 140),
      fc.array(fc.nat(139), { maxLength: 9 }),
      letters(0, 40),
      async (pattern, places, around) => {
        const changed = [...pattern].map((letter, i) => (places.includes(i) ? 'x' : letter)).join('')
        const text = `${around}|${changed}|${around}`
        const window = await nearestWindow(pattern, text, 0, plenty())
        const distance = editDistance(pattern, text.slice(window?.start, window?.end))
        expect(distance).toBeLessThanOrEqual(editDistance(pattern, changed))
        const longer = Math.max(pattern.length, (window?.end ?? 0) - (window?.start ?? 0))
        expect(window?.similarity).toBeCloseTo(1 - distance / longer)
      },
    ),
    { numRuns: times(100, 300) },
  )
})

it('begins at the place asked for', async () => {
  expect(await nearestWindow('abcabc', 'abcabc xx abcabd', 6, plenty())).toMatchObject({ start: 10, end: 15 })
})

it('refuses what the budget does not suffice for, and takes what it does from it', async () => {
  const budget = { left: 300 }
  expect((await nearestWindow('abc', 'x'.repeat(60), 0, budget))?.similarity).toBe(0)
  expect(budget.left).toBe(120)
  expect(await nearestWindow('abc', 'x'.repeat(60), 0, budget)).toBeUndefined()
  expect(budget.left).toBe(120)
})
