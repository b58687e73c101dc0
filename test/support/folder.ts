import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll } from 'vitest'

/** A new folder for the tests of a file, removed after them. */
export function useFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'test-'))
  afterAll(() => rm(folder, { recursive: true, force: true }))
  return folder
}
