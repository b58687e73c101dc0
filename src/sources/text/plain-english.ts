import { englishStem } from './english.ts'

/**
 * English words in the names of the vocabulary. A name with one of them is not a transliteration, and its words are
 * compared by their stems. Compared by sound, `outer side` would match `other side`.
 */
export const plainEnglish: ReadonlySet<string> = new Set(
  `world creation formation action emanation breaking shattering vessels divine presence animal soul godly evil
  inclination good impulse other side self nullification free will choice fear heaven service awe unity faith gate
  epistle holy repentance garden eden come this study shema temple day atonement dead resurrection foreign strange alien
  thoughts speech love fellow jew your hidden concealed dwelling place below lower worlds broken heart heartedness
  dullness insensitivity acceptance yoke oneness land king angel seer great middle old previous author first second
  third fourth fifth sixth seventh lion teacher prophet our son name names four letter lettered blessed one letters
  light infinite surrounding filling arousal above garments nothing something descent sake ascent spirit folly points
  small large mind greatness smallness house prayer psalms spark sparks exile redemption hiding face truth wisdom
  understanding knowledge intermediate man men average book average table gathering note visiting graves third meal
  joining friends welcoming guests eating physical worship through nature higher level levels individual providence
  lovingkindness kindness severity kingship contraction lord almighty tetragrammaton unification opponents equanimity
  righteous wicked husk shell cleaving attachment seclusion contemplation joy happiness sadness depression charity
  intention commandment paradise hell passover tabernacles phylacteries humility pride arrogance anger prophecy miracle
  refinement reincarnation humble slander martyrdom genesis exodus leviticus deuteronomy sabbath infinite melody
  seraph jewish prince hour end days suffering dance midnight ritual bath melody tales stories sayings words utterances`
    .split(/\s+/)
    .map(englishStem),
)
