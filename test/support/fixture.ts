import { afterAll, beforeAll } from 'vitest'

/**
 * What all tests of a file share: opened before the first and closed after the last. The hooks of a file run in the order
 * in which they are written, so those below the fixture can use it.
 * @returns an object that is empty until then.
 */
export function fixture<T extends object>(open: () => Promise<T>, close?: (value: T) => Promise<unknown>): T {
  const value = {} as T
  beforeAll(async () => {
    Object.assign(value, await open())
  })
  if (close) afterAll(() => close(value))
  return value
}
