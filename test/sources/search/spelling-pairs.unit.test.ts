import { expect, test } from 'vitest'
import { bucketOf, PairBuckets } from '../../../src/sources/index/spelling-pairs.ts'

test('every pair is in the row of its bucket, in the order of the calls, also a very long one', () => {
  const pairs = Array.from({ length: 40_000 }, (_, i): readonly [string, string] => [
    `~מילה${i % 7_000}`,
    `term${i}`,
  ])
  pairs.splice(20_000, 0, ['~long', 'א'.repeat(200_000)])
  const expected = new Map<number, string>()
  const collected = new PairBuckets()
  for (const [name, term] of pairs) {
    collected.add(name, term)
    const bucket = bucketOf(name)
    expected.set(bucket, `${expected.get(bucket) ?? ''}${name}\t${term}\n`)
  }
  const rows = collected.rows()
  expect(rows.map(({ bucket }) => bucket)).toEqual([...expected.keys()].sort((a, b) => a - b))
  for (const { bucket, pairs } of rows) expect(pairs.toString()).toBe(expected.get(bucket))
})
