import { expect } from 'vitest'
import { type ErrorCode, errorTable } from '../../src/errors.ts'
import type { Reply } from './http-raw.ts'

export type Refusal = { readonly status: number; readonly code: ErrorCode; readonly param: string | null }

/** Expects the error body of all routes: four members, and a message that matches `says`. */
export function expectError(reply: Reply, { status, code, param }: Refusal, says: RegExp): void {
  expect({ status: reply.status, body: JSON.parse(reply.text) }).toEqual({
    status,
    body: { error: { message: expect.stringMatching(says), type: errorTable[code].type, param, code } },
  })
  expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(reply.headers['x-request-id']).toMatch(/^req_/)
}
