import { inflateSync } from 'node:zlib'

/** An indirect object: its dictionary as text, and its stream without decoding. */
export type PdfObject = { readonly dictionary: string; readonly stream: Buffer | undefined }

export type PdfObjects = ReadonlyMap<number, PdfObject>

/** Maximum bytes of a decoded stream; the contents of a full page take some 200 KB. */
const maxStreamBytes = 16 * 1024 * 1024

/** All objects of a PDF from Typst by number. The length of a stream stands in its dictionary. */
export function objectsOf(pdf: Buffer): PdfObjects {
  const objects = new Map<number, PdfObject>()
  const text = pdf.toString('latin1')
  const head = /(?:^|\n)(\d+) 0 obj\n/g
  for (let found = head.exec(text); found; found = head.exec(text)) {
    const end = text.indexOf('endobj', head.lastIndex)
    // A damaged file: what follows is not read.
    if (end < 0) return objects
    const begins = text.indexOf('stream\n', head.lastIndex)
    const hasStream = begins >= 0 && begins < end
    const dictionary = text.slice(head.lastIndex, hasStream ? begins : end)
    const length = Number(/\/Length (\d+)/.exec(dictionary)?.[1] ?? 0)
    const from = begins + 'stream\n'.length
    const stream = hasStream ? pdf.subarray(from, from + length) : undefined
    objects.set(Number(found[1]), { dictionary, stream })
    head.lastIndex = hasStream ? from + length : end
  }
  return objects
}

/** The number of the object that an entry of a dictionary refers to. */
export function referenceIn(dictionary: string, name: string): number | undefined {
  const found = new RegExp(`/${name} (\\d+) 0 R`).exec(dictionary)?.[1]
  return found === undefined ? undefined : Number(found)
}

/** The content of a stream, without compression. Undefined without a stream, and for one that is damaged. */
export function decoded(object: PdfObject | undefined): string | undefined {
  if (object?.stream === undefined) return undefined
  if (!object.dictionary.includes('/FlateDecode')) return object.stream.toString('latin1')
  try {
    return inflateSync(object.stream, { maxOutputLength: maxStreamBytes }).toString('latin1')
  } catch {
    return undefined
  }
}
