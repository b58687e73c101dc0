import { postingBytes, readPostings } from '../postings.ts'

/**
 * A row of `search_postings`. If `block` is 0 or more, `data` has the postings of this block. A packed row has the
 * postings of several blocks: `block` is -1 minus the first of them, and a header comes before the postings. For each
 * block in ascending order the header has its number and the number of its postings, both big-endian with four bytes.
 */
export type PostingRow = { readonly block: number; readonly documents: number; readonly data: Buffer }

/** The postings of a term in one block, as `readPostings` returns them. */
export type BlockPostings = { readonly block: number; readonly postings: Uint32Array }

/** Bytes of a packed row's header per block. */
const headerBytes = 8

/** The posting lists of a row, by block. */
export function listsIn({ block, documents, data }: PostingRow): readonly BlockPostings[] {
  if (block >= 0) return [{ block, postings: readPostings(data) }]
  const start = data.length - postingBytes * documents
  const postings = readPostings(data.subarray(start))
  const lists: BlockPostings[] = []
  for (let at = 0, from = 0; at < start; at += headerBytes) {
    const to = from + data.readInt32BE(at + 4)
    lists.push({ block: data.readInt32BE(at), postings: postings.subarray(from, to) })
    from = to
  }
  return lists
}

/** The data of a row with these lists; `block` as in the row. */
export function dataOf(block: number, lists: readonly BlockPostings[]): Buffer {
  const header = Buffer.alloc(block < 0 ? headerBytes * lists.length : 0)
  if (block < 0)
    for (const [i, list] of lists.entries()) {
      header.writeInt32BE(list.block, headerBytes * i)
      header.writeInt32BE(list.postings.length, headerBytes * i + 4)
    }
  return Buffer.concat([header, ...lists.map(({ postings }) => bytesOf(postings))])
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}
