import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'

/**
 * The lines of a file. The file is opened when the first line is read: an interface that is opened before loses the
 * lines that arrive until then.
 */
export async function* fileLines(file: string): AsyncGenerator<string> {
  yield* createInterface({ input: createReadStream(file) })
}
