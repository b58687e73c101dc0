const closers = /[”»]/
const openers = /[“„«]/
const anyMark = /["״“”„«»]/g

/** Words that may stand between the opening mark and a title that is quoted alone: `"ספר התניא"`, `ב"תניא"`. */
const opensBefore = /["“„״«'‘*_][ובהלמשכ]{0,3}(?:ספר |מסכת |the |sefer |book of )?$/i

/** Maximum distance of a title and a number, so that time stays linear in the text. */
const longestLooked = 1_000

/**
 * Whether a quotation that ends with a title, or soon after it, closes before a later position. A title at the end of
 * quoted words does not belong to a number behind them; a title that is quoted alone does: `"תניא" (פרק לב)`.
 */
export function isQuotedApart(
  text: string,
  title: { readonly start: number; readonly end: number },
  position: number,
): boolean {
  if (position - title.end > longestLooked || !closesIn(text, title.end, position)) return false
  return !opensBefore.test(text.slice(Math.max(0, title.start - 14), title.start))
}

/** Whether a quotation that began before `from` closes between the offsets. */
function closesIn(text: string, from: number, to: number): boolean {
  let open = 0
  for (const { index } of text.slice(from, to).matchAll(anyMark)) {
    const kind = kindOf(text, from + index)
    if (kind === 'closes' && open === 0) return true
    if (kind === 'opens') open += 1
    if (kind === 'closes') open -= 1
  }
  return false
}

function kindOf(text: string, at: number): 'opens' | 'closes' | undefined {
  const mark = text.charAt(at)
  if (closers.test(mark)) return 'closes'
  if (openers.test(mark)) return 'opens'
  if (mark !== '"' && mark !== '״') return undefined
  const [before, after] = [text.charAt(at - 1), text.charAt(at + 1)]
  // Between letters it is gershayim.
  if (/[\p{L}\p{M}]/u.test(after)) return /[\p{L}\p{M}]/u.test(before) ? undefined : 'opens'
  return /[\s([{]/.test(before) ? 'opens' : 'closes'
}
