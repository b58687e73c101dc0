import type { Random } from '../support/random.ts'

/** Characters that have broken text parsers before. */
const odd = [
  ...['\0', '\r', '\n', '\r\n', '\t', ' ', '\u00a0', '\u2028', '\ufeff', '\u200f', '\u202e'],
  ...['\u0591', '\u05b8', '\u05be', '\u05da', '\u05dd', '\u05f4', '\ufb2a', '\u0301', '\u200d', '\ud800'],
  ...['\udc00'],
  ...'📜 İ ß ﷺ 0 -1 1e309 999999999999999999999 %00 ../ __proto__'.split(' '),
  ...'"\'`<>&[](){}:;/\\-*_#|!=',
]

type Change = (
  input: Buffer,
  random: Random,
  others: readonly Buffer[],
  dictionary: readonly string[],
) => Buffer

const place = (input: Buffer, random: Random): number => random.whole(0, input.length)

function span(input: Buffer, random: Random): readonly [from: number, to: number] {
  const from = place(input, random)
  return [from, Math.min(input.length, from + random.whole(1, random.chance(0.2) ? 200 : 12))]
}

const insert = (input: Buffer, at: number, piece: Buffer): Buffer =>
  Buffer.concat([input.subarray(0, at), piece, input.subarray(at)])

const anyOf = <T>(items: readonly T[], random: Random): T => items[random.whole(0, items.length - 1)] as T

const changes: readonly Change[] = [
  // One bit.
  (input, random) => {
    const copy = Buffer.from(input)
    const at = random.whole(0, Math.max(0, copy.length - 1))
    if (copy.length > 0) copy[at] = (copy[at] ?? 0) ^ (1 << random.whole(0, 7))
    return copy
  },
  (input, random) => insert(input, place(input, random), Buffer.from([random.whole(0, 255)])),
  (input, random) => insert(input, place(input, random), Buffer.from(anyOf(odd, random))),
  (input, random, _others, dictionary) =>
    dictionary.length === 0
      ? input
      : insert(input, place(input, random), Buffer.from(anyOf(dictionary, random))),
  (input, random, _others, dictionary) => {
    const [from, to] = span(input, random)
    const piece = Buffer.from(dictionary.length === 0 ? anyOf(odd, random) : anyOf(dictionary, random))
    return Buffer.concat([input.subarray(0, from), piece, input.subarray(to)])
  },
  (input, random) => {
    const [from, to] = span(input, random)
    return Buffer.concat([input.subarray(0, from), input.subarray(to)])
  },
  // Repeats a part, sometimes many times, to show quadratic time.
  (input, random) => {
    const [from, to] = span(input, random)
    const times = random.chance(0.1) ? random.whole(50, 2_000) : random.whole(1, 4)
    return insert(input, to, Buffer.concat(Array.from({ length: times }, () => input.subarray(from, to))))
  },
  // Cut off.
  (input, random) => input.subarray(0, place(input, random)),
  // Joins the start of one input and the end of another.
  (input, random, others) => {
    const other = anyOf(others, random)
    return Buffer.concat([input.subarray(0, place(input, random)), other.subarray(place(other, random))])
  },
]

/** Applies several changes to an input. The result has at most `most` bytes. */
export function mutate(
  input: Buffer,
  random: Random,
  { others, dictionary, most }: { others: readonly Buffer[]; dictionary: readonly string[]; most: number },
): Buffer {
  let changed = input
  const rounds = random.chance(0.5) ? 1 : random.whole(2, 6)
  for (let n = 0; n < rounds; n += 1) {
    changed = anyOf(changes, random)(changed, random, others, dictionary).subarray(0, most)
  }
  return changed
}
