import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { invalidValue, ServiceError } from '../../errors.ts'

const lineFeed = 0x0a

/**
 * Reads a text file. A file in another encoding than UTF-8 is refused, because its letters would be stored as `�`.
 * @throws ServiceError `invalid_value` naming the file, the line and the remedy.
 */
export async function readTextFile(file: string): Promise<string> {
  const bytes = await readFile(file).catch(() => Promise.reject(unreadable(file)))
  refuseUtf16(file, bytes)
  if (!isUtf8(bytes)) throw wrongBytes(file, lineOfFault(bytes))
  return new TextDecoder().decode(bytes)
}

/**
 * Reads a text file line by line, under the same rules. Only line feeds end a line: JSON texts may contain other line
 * separators.
 */
export async function* linesOfFile(file: string): AsyncGenerator<string> {
  let held: Buffer[] = []
  let number = 0
  const line = (end: Buffer): string => {
    number += 1
    const bytes = held.length === 0 ? end : Buffer.concat([...held, end])
    held = []
    if (number === 1) refuseUtf16(file, bytes)
    if (!isUtf8(bytes)) throw wrongBytes(file, number)
    return new TextDecoder().decode(bytes)
  }
  try {
    for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
      let from = 0
      for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, from)) {
        yield line(chunk.subarray(from, at))
        from = at + 1
      }
      if (from < chunk.length) held.push(chunk.subarray(from))
    }
  } catch (error) {
    throw error instanceof ServiceError || !hasCode(error) ? error : unreadable(file)
  }
  if (held.length > 0) yield line(Buffer.alloc(0))
}

/** Runs an import and names the file in its errors. */
export async function namingFile<T>(file: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    const isOwn =
      error instanceof ServiceError && error.code === 'invalid_value' && !error.message.includes(file)
    throw isOwn ? invalidValue(`${file}: ${error.message}`) : error
  }
}

function lineOfFault(bytes: Buffer): number {
  let from = 0
  for (let number = 1; ; number += 1) {
    const end = bytes.indexOf(lineFeed, from)
    if (end < 0 || !isUtf8(bytes.subarray(from, end))) return number
    from = end + 1
  }
}

function refuseUtf16(file: string, bytes: Buffer): void {
  const mark = bytes.subarray(0, 2).toString('hex')
  if (mark !== 'fffe' && mark !== 'feff') return
  throw invalidValue(`The file ${file} is in UTF-16. Save it as UTF-8. Nothing was changed.`)
}

/** Most Hebrew texts that are not UTF-8 are in the old encoding of Windows. */
function wrongBytes(file: string, line: number): ServiceError {
  return invalidValue(
    `The file ${file} is not UTF-8: line ${line} has other bytes. Save it as UTF-8, or convert it, for example with ` +
      `"iconv -f WINDOWS-1255 -t UTF-8". Nothing was changed.`,
  )
}

function unreadable(file: string): ServiceError {
  return invalidValue(
    `The file ${file} cannot be read. Check its path and permissions, and that it is no folder.`,
  )
}

function hasCode(error: unknown): boolean {
  return error instanceof Error && 'code' in error
}
