import type { Operand } from './content-tokens.ts'

/** A transformation of coordinates (ISO 32000-1, 8.3.3). */
export type Matrix = readonly [number, number, number, number, number, number]

export const identity: Matrix = [1, 0, 0, 1, 0, 0]

export function matrixOf(operands: readonly Operand[]): Matrix {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = operands.map((one) =>
    one.kind === 'number' ? one.value : 0,
  )
  return [a, b, c, d, e, f]
}

/** `first` is applied first. */
export function product(first: Matrix, second: Matrix): Matrix {
  const [a, b, c, d, e, f] = first
  const [g, h, i, j, k, l] = second
  return [a * g + b * i, a * h + b * j, c * g + d * i, c * h + d * j, e * g + f * i + k, e * h + f * j + l]
}
