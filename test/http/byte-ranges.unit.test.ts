import { expect, test } from 'vitest'
import { namesTag, parseRange } from '../../src/http/transfers/download.ts'

test.each([
  ['bytes=0-0', { start: 0, end: 1 }],
  ['bytes=0-99', { start: 0, end: 100 }],
  ['bytes=0-100', { start: 0, end: 100 }],
  ['bytes=50-', { start: 50, end: 100 }],
  ['bytes=99-', { start: 99, end: 100 }],
  ['bytes=-1', { start: 99, end: 100 }],
  ['bytes=-500', { start: 0, end: 100 }],
  ['BYTES=10-19', { start: 10, end: 20 }],
  ['bytes=100-', 'unsatisfiable'],
  ['bytes=100-200', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=999999999999999-', 'unsatisfiable'],
] as const)('of 100 bytes the range %s is %j', (header, expected) => {
  expect(parseRange(header, 100)).toEqual(expected)
})

test.each([
  undefined,
  '',
  'bytes',
  'bytes=',
  'bytes=-',
  'bytes=5-4',
  'bytes=0-1,5-6',
  'items=0-1',
  'bytes=a-b',
  'bytes=0x1-2',
  'bytes=-1-2',
  'bytes=1e3-',
])('a header %j asks for all of it', (header) => {
  expect(parseRange(header, 100)).toBeUndefined()
})

test('of no bytes nothing can be had', () => {
  for (const header of ['bytes=0-', 'bytes=0-0', 'bytes=-1'])
    expect(parseRange(header, 0)).toBe('unsatisfiable')
})

test('a tag is named by itself, in a list, weakly, or by the star', () => {
  for (const header of ['"a"', 'W/"a"', '"b", "a"', '"b",W/"a"', '*'])
    expect(namesTag(header, '"a"')).toBe(true)
  for (const header of [undefined, '', '"b"', 'a', '"A"', 'W/"b"'])
    expect(namesTag(header, '"a"')).toBe(false)
})
