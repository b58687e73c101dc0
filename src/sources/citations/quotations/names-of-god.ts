/** Folded letters, and the offset of each in the original text; see `fold`. */
type Letters = { readonly folded: string; readonly offsets: readonly number[] }

/** Substitutes for the Name. The fold replaces each by the letter ה, as it does `ה'`. */
const name = /(?<![^ ])([והבכלמשד]{0,2}?)(?:ייי|יי|יהוה|הויה|ידוד|יקוק)(?![^ ])/g

/** These letters are the Name only with a geresh: `הוי` is also an Aramaic verb. */
const shortName = /(?<![^ ])([והבכלמשד]{0,2}?)הוי(?![^ ])/g

/** `אלקים` and `אלוקים` are folded to `אלהים`, with every ending. */
const elohim = /(?<![^ ])([והבכלמשד]{0,3}?אל)ו?[קה](ימ|ות|ותו|ית|יי|יות|י|ינו|יכ|יכמ|יו|יהמ|א|אי)(?![^ ])/g
const hosts = /(?<![^ ])([והבכלמשד]{0,2}?)צבקות(?![^ ])/g

/** Hyphens within a name, which avoid writing it in full: `א-ל`, `יה-וה`. */
const hyphened =
  /(?<![א-ת])[והבכלמשד]{0,2}(?:י[-–‐‑]ה[-–‐‑]ו[-–‐‑]ה|יה[-–‐‑]וה|י[-–‐‑]הוה|הוי[-–‐‑]ה|א[-–‐‑]ל(?:הי|קי|וה)?|אל[-–‐‑](?:הי|קי|ה|וה)|אלה[-–‐‑]י|אלק[-–‐‑]י|א[-–‐‑]דני|אד[-–‐‑]ני|אדנ[-–‐‑]י|ש[-–‐‑]די|שד[-–‐‑]י|צב[-–‐‑]אות|צ[-–‐‑]באות)/g

/** Joins names written with hyphens, in both languages. Offsets stay valid. */
export function joinNames(text: string): string {
  if (!/[-–‐‑]/.test(text)) return text
  return text
    .replace(hyphened, (written) => written.replace(/[-–‐‑]/g, '\u2060'))
    .replace(/\b(G|L)[-–‐‑](?=(?:d|rd)\b)/g, '$1o')
}

/**
 * Folds the names of God to one form.
 * @param written the text of the letters: a geresh in it decides about some names.
 */
export function foldNames(letters: Letters, written: string): Letters {
  if (!/[א-ת]/.test(letters.folded)) return letters
  let made = letters
  for (const form of mayHaveNames.test(made.folded) ? [name, shortName] : []) {
    made = replaceWords(made, form, (match, at) =>
      form === name || hasGeresh(made, at, at + match[0].length, written) ? `${match[1] ?? ''}ה` : undefined,
    )
  }
  made = replaceWords(made, elohim, (match) => `${match[1] ?? ''}ה${match[2] ?? ''}`)
  return replaceWords(made, hosts, (match) => `${match[1] ?? ''}צבאות`)
}

/** After these words a letter is a number, and before these and plurals too: `פרק ד'`, `ד' אמות`, `י' ימים`. */
const numbered =
  /(?:^| )[ושהבכלמ]{0,2}(?:פרק|פ|סימנ|סי|אות|סעיפ|סע|דפ|עמוד|שער|חלק|הלכה|הלכות|משנה|מאמר|דרוש|פסוק|תקונ|תיקונ|מזמור|פרשה|נתיב|בית|שיחה|אגרת|יומ|כיתה|בנ|בת|שנת|תורה) $/
const counted =
  /^ (?!ל(?!שונות|ילות|בבות|וחות)[א-ת]{2,}ות(?![א-ת])|אלהימ|הימ|אלהי|הי|צבאות|חיימ|שמימ|ימינ)(?:[א-ת]{2,}(?:ימ|ינ|ות|יות)|חומשי|ספרי|מיני|ימי|פרקי|אלפי|חלקי|בני|אמה|מאות|שנה|פעמ|איש|בחינ)(?![^ ])/

/**
 * Folds names without checking for a geresh, and reads `ד'` as the Name unless it is a number. It gives a second reading
 * of a quotation.
 */
export function foldNamesFreely(letters: Letters, written: string): Letters {
  const made = replaceWords(letters, shortName, (match) => `${match[1] ?? ''}ה`)
  return replaceWords(made, /(?<![^ ])([והבכלמש]?)[די](?![^ ])/g, (match, at) => {
    const end = at + match[0].length
    const isNumber =
      numbered.test(made.folded.slice(Math.max(0, at - 12), at)) ||
      counted.test(made.folded.slice(end, end + 20))
    return !isNumber && hasGeresh(made, at, end, written) ? `${match[1] ?? ''}ה` : undefined
  })
}

function hasGeresh({ offsets }: Letters, start: number, end: number, written: string): boolean {
  return /["'׳״’”]/.test(written.slice(offsets[start] ?? 0, (offsets[end] ?? 0) + 1))
}

/** Most texts have none of these, and a search for them alone is fast. */
const mayHaveNames = /יי|יהוה|הויה|ידוד|יקוק|הוי/

/** Replaces words. All letters of a replacement get the offset at which the old word begins. */
function replaceWords(
  letters: Letters,
  form: RegExp,
  replacement: (match: RegExpExecArray, at: number) => string | undefined,
): Letters {
  const parts: string[] = []
  const offsets: number[] = []
  let from = 0
  for (const match of letters.folded.matchAll(form)) {
    const made = replacement(match, match.index)
    if (made === undefined || made === match[0]) continue
    parts.push(letters.folded.slice(from, match.index), made)
    for (let i = from; i < match.index; i += 1) offsets.push(letters.offsets[i] ?? 0)
    for (let i = 0; i < made.length; i += 1) offsets.push(letters.offsets[match.index] ?? 0)
    from = match.index + match[0].length
  }
  if (parts.length === 0) return letters
  for (let i = from; i < letters.offsets.length; i += 1) offsets.push(letters.offsets[i] ?? 0)
  return { folded: parts.join('') + letters.folded.slice(from), offsets }
}
