import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'

/**
 * The lines of a file. `createInterface` begins to read at once, and loses the lines that come before the caller asks
 * for the first.
 */
export async function* linesOfFile(file: string): AsyncGenerator<string> {
  yield* createInterface({ input: createReadStream(file) })
}
