import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { kernelModule } from '../../../build/kernel.ts'
import { CopiedRows } from '../../../src/sources/vectors/copied-rows.ts'
import { quantize } from '../../../src/sources/vectors/quantize.ts'
import { TopList } from '../../../src/sources/vectors/top-list.ts'
import { VectorScan } from '../../../src/sources/vectors/vector-scan.ts'
import { randomFrom } from '../../support/random.ts'

const random = randomFrom(5)
const vector = (dims: number) => Array.from({ length: dims }, () => random() * 2 - 1)
const cosine = (a: readonly number[], b: readonly number[]) =>
  a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0) / Math.hypot(...a) / Math.hypot(...b)

/** A scan of `count` vectors as documents 10, 20, 30, …, and the vectors. */
function scanOf(dims: number, count: number) {
  const scan = new VectorScan(dims)
  const vectors = Array.from({ length: count }, () => vector(dims))
  vectors.forEach((v, i) => {
    const { scale, components } = quantize(v)
    scan.add((i + 1) * 10, scale, components)
  })
  return { scan, vectors }
}

it('the committed kernel is what its source compiles to', async () => {
  expect(await readFile('src/sources/vectors/dot-kernel.ts', 'utf8')).toBe(await kernelModule())
})

it.each([1, 7, 16, 100, 384])('a quantized cosine of %s dimensions differs by less than 0.02', (dims) => {
  for (let i = 0; i < 200; i += 1) {
    const [a, b] = [vector(dims), vector(dims)]
    const [qa, qb] = [quantize(a), quantize(b)]
    const dot = qa.components.reduce((sum, value, at) => sum + value * (qb.components[at] ?? 0), 0)
    expect(Math.abs(dot * qa.scale * qb.scale - cosine(a, b))).toBeLessThan(0.02)
  }
})

it.each([
  [0, 0, 0],
  [Number.NaN, 1],
  [Number.POSITIVE_INFINITY, 1],
])('a vector without a direction quantizes to zeros: %s %s', (...values) => {
  expect(quantize(values)).toEqual({ scale: 0, components: new Int8Array(16) })
})

it.each([
  [3, 50],
  [100, 2_500],
])('a scan of %s dimensions finds what comparing each of %s vectors finds', (dims, count) => {
  const { scan, vectors } = scanOf(dims, count)
  for (let i = 0; i < 5; i += 1) {
    const query = quantize(vector(dims))
    const scores = vectors.map((v, at) => {
      const { scale, components } = quantize(v)
      return {
        doc: (at + 1) * 10,
        score: Math.fround(scale) * query.components.reduce((sum, c, k) => sum + c * (components[k] ?? 0), 0),
      }
    })
    const expected = scores
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score || a.doc - b.doc)
      .slice(0, 10)
    expect(scan.nearest(query, undefined, 10)).toEqual(expected.map(({ doc }) => doc))
  }
})

it('ranges confine a scan to their documents, ends included', () => {
  const { scan } = scanOf(8, 300)
  const ranges = [[100, 200] as const, [1_005, 1_020] as const, [9_000, 9_999] as const]
  const found = scan.nearest(quantize(vector(8)), ranges, 1_000)
  expect(found.every((doc) => (doc >= 100 && doc <= 200) || doc === 1_010 || doc === 1_020)).toBe(true)
  expect(scan.nearest(quantize(vector(8)), [], 10)).toEqual([])
})

it('documents must rise, and vectors have the dimensions of the scan', () => {
  const { scan } = scanOf(8, 3)
  const { scale, components } = quantize(vector(8))
  expect(() => scan.add(30, scale, components)).toThrow(RangeError)
  expect(() => scan.add(40, scale, quantize(vector(17)).components)).toThrow(RangeError)
  expect(scan.nearest(quantize(vector(17)), undefined, 5)).toEqual([])
})

it('of equal scores the lower document is kept and comes first', () => {
  const top = new TopList(3)
  for (const document of [5, 9, 1, 7, 3]) top.offer(1, document)
  top.offer(0, 2)
  expect(top.sorted()).toEqual([1, 3, 5])
})

it('rows of a binary copy are read whatever the chunks they come in', () => {
  const rows = [
    { document: 1, scale: 0.5, components: [1, 2, 3] },
    { document: 70_000, scale: 0.25, components: [] },
    { document: 70_001, scale: 2, components: [255] },
  ]
  const bytes = copied(rows)
  for (let size = 1; size <= bytes.length; size += 1) {
    const reader = new CopiedRows()
    const read = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
      reader
        .read(bytes.subarray(i * size, (i + 1) * size))
        .map((row) => ({ ...row, components: [...row.components] })),
    )
    expect(read.flat()).toEqual(rows)
  }
})

/** As PostgreSQL writes it (documentation of COPY, "Binary Format"). */
function copied(rows: readonly { document: number; scale: number; components: readonly number[] }[]): Buffer {
  const parts = rows.map(({ document, scale, components }) => {
    const row = Buffer.alloc(22)
    row.writeInt16BE(3, 0)
    row.writeInt32BE(4, 2)
    row.writeInt32BE(document, 6)
    row.writeInt32BE(4, 10)
    row.writeFloatBE(scale, 14)
    row.writeInt32BE(components.length, 18)
    return Buffer.concat([row, Buffer.from(components)])
  })
  return Buffer.concat([
    Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1'),
    ...parts,
    Buffer.from([255, 255]),
  ])
}
