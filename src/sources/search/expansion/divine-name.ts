import { medial } from '../../text/fold.ts'
import type { Token } from '../../text/tokens.ts'
import { isInPhrase, type Phrase } from './phrases.ts'

/** `השם` for God, with prefixes, as an index term. */
const hashem = /^([ומשכלבד]{0,3})השמ$/

/** The term of `ה'`. */
const tetragrammaton = 'יהוה'

/** Words after which `השם` is the name of something: `מה השם`, `משמעות השם`. */
const asksForName: ReadonlySet<string> = new Set(
  ['מה', 'מהו', 'איזה', 'איך', 'בחירת', 'מאחורי', 'מקור', 'משמעות', 'פירוש', 'שינוי', 'זה'].map(medial),
)

/** Words before which it is a name: `השם של`, `השם הזה`, `השם הויה`. `השם יתברך` is a name of the vocabulary. */
const saysWhoseName: ReadonlySet<string> = new Set(
  [
    'של',
    'שלו',
    'שלה',
    'שלי',
    'שלך',
    'שלהם',
    'הזה',
    'הפרטי',
    'העברי',
    'המלא',
    'המפורש',
    'בן',
    'טוב',
    'חסידות',
    'יתברך',
  ]
    .concat(['הויה', 'אלהים', 'אלוקים', 'אדני', 'אדנות', 'שדי', 'צבאות', 'אהיה'])
    .map(medial),
)

/**
 * Reads `השם` as God where it is no name of something else: people write `אהבת השם` for what texts print as `אהבת ה'`. A quoted
 * phrase is searched as it is.
 * @returns the tokens, each such one with the term of `ה'`.
 */
export function withDivineName(tokens: readonly Token[], quoted: readonly Phrase[]): readonly Token[] {
  return tokens.map((token, at) => {
    const [, prefix] = hashem.exec(token.term) ?? []
    if (prefix === undefined || isInPhrase(quoted, at)) return token
    const [before, after] = [tokens[at - 1]?.term ?? '', tokens[at + 1]?.term ?? '']
    if (asksForName.has(before) || saysWhoseName.has(after)) return token
    return { ...token, term: prefix + tetragrammaton, abbreviated: true }
  })
}
