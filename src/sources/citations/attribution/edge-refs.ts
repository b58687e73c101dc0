import type { Doc } from '../quotations/doc.ts'
import { prepareText } from '../quotations/prepare.ts'
import type { Anchor } from '../quotations/quotes.ts'
import { firstFrom } from '../quotations/spans.ts'
import { refLabel } from './beside-blocks.ts'

/** What stands between a ref and the quotation mark behind it: `“… joy (Tanya 26)”`. */
const closesQuote = /^\s?[)\]]\s?["”»״]/u

/**
 * Finds the refs at the beginning or end of a `>` block, and those in brackets at the end of a quotation, each with its
 * brackets or dash. They name the source of the words and are not quoted. A ref that one of `passages` has beside the same words is quoted with them.
 * @param passages texts that the block may quote.
 */
export function edgeRefs(
  { usual, blocks }: Doc,
  refs: readonly Anchor[],
  marks: readonly Anchor[],
  passages: readonly string[] = [],
): readonly Anchor[] {
  if (refs.length === 0) return []
  const text = usual.replace(sourceTags, (tag) => ' '.repeat(tag.length))
  const isQuoted = quotedIn(passages)
  const isRef = new Set(refs)
  const anchors = [...refs, ...marks].toSorted((a, b) => a.start - b.start)
  const closing = refs
    .filter((ref) => text.charAt(ref.start - 1) === '(' || text.charAt(ref.start - 1) === '[')
    .filter(({ end }) => closesQuote.test(text.slice(end, end + 4)))
    .filter((ref) => !isQuoted(besideRef(text, ref, { start: Math.max(0, ref.start - 60), end: ref.end })))
    .map((ref) => ({ start: ref.start - 1, end: ref.end + 1, keys: [] }))
  const inQuotes = blocks
    .filter(({ kind }) => kind === 'quote')
    .flatMap(({ start, end }) => {
      const inBlock = anchors
        .slice(firstFrom(anchors, start), firstFrom(anchors, end))
        .filter((anchor) => anchor.end <= end)
      const edges = new Set([...leading(text, start, inBlock), ...leading(text, end, inBlock.toReversed())])
      return inBlock
        .filter((anchor) => isRef.has(anchor) && edges.has(anchor))
        .filter((ref) => !isQuoted(besideRef(text, ref, { start, end })))
        .map((ref) => withSigns(text, ref, start, end))
    })
  return [...inQuotes, ...closing]
}

/** Characters beside a ref that show whether a passage has it there. */
const besideLength = 40

type Beside = { readonly ref: string; readonly before: string; readonly behind: string }

/** A ref with the whole words before and behind it in its block. */
function besideRef(text: string, ref: Anchor, block: Pick<Anchor, 'start' | 'end'>): Beside {
  const before = text.slice(Math.max(block.start, ref.start - besideLength), ref.start)
  const behind = text.slice(ref.end, Math.min(block.end, ref.end + besideLength))
  return {
    ref: text.slice(ref.start, ref.end),
    before: before.length < besideLength ? before : before.replace(/^\S*/, ''),
    behind: behind.length < besideLength ? behind : behind.replace(/\S*$/, ''),
  }
}

/** Returns a function that finds a ref with the words on one of its sides in a passage. */
function quotedIn(passages: readonly string[]): (beside: Beside) => boolean {
  let prepared: readonly string[] | undefined
  return ({ ref, before, behind }) => {
    prepared ??= passages.map((passage) => prepareText(passage).padded)
    const sides = [
      [before, `${before}${ref}`],
      [behind, `${ref}${behind}`],
    ].flatMap(([words = '', whole = '']) => (/\p{L}/u.test(words) ? prepareText(whole).padded : []))
    return sides.some((side) => prepared?.some((passage) => passage.includes(side)))
  }
}

/** Returns the anchors at an edge that have only punctuation between them. */
function leading(text: string, edge: number, anchors: readonly Anchor[]): readonly Anchor[] {
  const found: Anchor[] = []
  let at = edge
  for (const anchor of anchors) {
    const gap = (at <= anchor.start ? text.slice(at, anchor.start) : text.slice(anchor.end, at)).replace(
      signsBefore,
      '',
    )
    if (gap.length > 200 || /[\p{L}\p{N}]/u.test(gap)) break
    found.push(anchor)
    at = at <= anchor.start ? anchor.end : anchor.start
  }
  return found
}

/** The signs before a ref, with a label at the beginning of its line. */
const signsBefore = new RegExp(`(?:(?<=\\n[ \\t>]*)${refLabel})?[\\s([{—–,;:*_-]*$`, 'iu')
/** Elements that HTML puts around the source of a quotation. */
const sourceTags = /<\/?(?:cite|footer|em|i|small|p|br)(?:\s[^<>]{0,100})?\/?>/gi

function withSigns(text: string, ref: Anchor, from: number, to: number): Anchor {
  const before = signsBefore.exec(text.slice(Math.max(from, ref.start - 40), ref.start))?.[0].length ?? 0
  const after = /^[\s)\]}:,;.]*/.exec(text.slice(ref.end, Math.min(to, ref.end + 10)))?.[0].length ?? 0
  return { start: ref.start - before, end: ref.end + after, keys: [] }
}
