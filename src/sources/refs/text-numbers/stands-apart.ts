import { medial } from '../../text/fold.ts'
import { gapBefore, type TextWord } from './text-words.ts'

/** Words that begin sentences. Any other capitalised word before a number may be a title. */
const sentenceWords = new Set(
  'in on at by to of as so if it is i he she we they the a an and or but for from see cf compare about since until around this that thus also there read says per according what how why does do where when which explain'.split(
    ' ',
  ),
)
/** Hebrew words after which a number belongs to a work named earlier. */
const hebrewCues = new Set(
  medial(
    'עיין עי ראה וראה ע שם ושם סוף בסוף ריש בריש תחילת בתחילת ראש גם לקמן לעיל כתב של את ועיין וכן',
  ).split(' '),
)

/**
 * Whether a number stands apart: not directly after a word that may be an unknown title, as in `Psalms, chapter 3`
 * and `תהלים פרק ג`.
 */
export function standsApart(
  { text, words }: { readonly text: string; readonly words: readonly TextWord[] },
  at: number,
): boolean {
  const word = words[at]
  const previous = words[at - 1]
  if (!word || !previous) return true
  const gap = gapBefore(text, words, at)
  if (/[.?!()[\]:;\n–—"“”«»]/.test(gap)) return true
  if (/^[א-ת]/.test(word.key)) {
    return (
      /,/.test(gap) ||
      hebrewCues.has(previous.key) ||
      /^(?:ש[בלמ]|ו[בלמש]|[ובלמהש])(?:פרק|סימן|סעיף|אות|פ)/.test(word.key)
    )
  }
  return !/^\p{Lu}/u.test(previous.text) || sentenceWords.has(previous.key)
}
