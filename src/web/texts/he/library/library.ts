import { html } from 'hono/html'
import { hebrewVersionName } from '../../../../sources/vocabulary/titles/version-names.ts'
import type { EnglishTexts } from '../../en/index.ts'
import { categories } from './categories.ts'
import { yearRange } from './dates.ts'

/** Licences that are said in words. Creative Commons names its own in Latin letters. */
const licences: ReadonlyMap<string, string> = new Map([
  ['own', 'טקסט של הספרייה, ללא רישיון ציבורי'],
  ['Public Domain', 'נחלת הכלל'],
  ['public domain', 'נחלת הכלל'],
  ['PD', 'נחלת הכלל'],
  ['unknown', 'לא ידוע'],
])

export const library: EnglishTexts['library'] = {
  breadcrumb: 'מיקום באתר',
  size: (works, versions, texts) => `${works}, ${versions}, ${texts}.`,
  licences: 'לכל טקסט מצוינים רישיונו ומקורו.',
  empty: 'הספרייה ריקה',
  missingBook: 'אם חסר ספר, אפשר לבקש ממי שמפעיל את השירות להוסיף אותו.',
  addBooks: html`אפשר להוסיף ספרים בדף <a href="/operator/library">ניהול, ספרייה</a>.`,
  categoryName: (name) => (Object.hasOwn(categories, name) ? (categories[name] ?? name) : name),
  licenceName: (license) => licences.get(license) ?? license,
  versionName: hebrewVersionName,
  within: (category) => `בתוך ${category}`,
  filter: 'סינון',
  allWorks: 'כל הספרים',
  showAll: 'הצגת כל הספרים',
  moreWorks: 'ספרים נוספים',
  noWorks: 'אין כאן ספרים',
  noWorksHint: 'אין ספר של מחבר זה או בנושא זה.',
  written: 'נכתב',
  years: ({ from, to }) => (from === to ? yearRange(from, to) : `בערך ${yearRange(from, to)}`),
  length: 'היקף',
  contents: 'תוכן העניינים',
  versions: 'נוסחים',
  moreParts: 'חלקים נוספים',
  moreChapters: 'פרקים נוספים',
  allParts: 'כל החלקים',
  version: 'נוסח',
  passages: 'קטעים',
  imported: 'נוסף',
  notStated: 'לא צוין',
  machine: 'תרגום מכונה: ',
}

export const daily: EnglishTexts['daily'] = {
  title: 'הלימוד היומי',
  about: 'פרק של ספר בכל יום, לפי הסדר. אחרי הפרק האחרון בא הראשון.',
  none: 'עדיין לא נבחר ספר',
  noneHint: 'בדף של כל ספר בספרייה יש ”קריאת פרק בכל יום”.',
  works: 'אל רשימת הספרים',
  of: (number, all) => `יום ${number} מתוך ${all}`,
  tomorrow: 'מחר',
  since: 'מאז',
  missing: 'הספר אינו עוד בספרייה, או שהקריאה מתחילה ביום מאוחר יותר.',
  stop: 'הפסקת הקריאה היומית בספר',
  start: 'קריאת פרק בכל יום',
  link: 'קישור לקריאה זו',
  midnight: 'היום מתחיל בחצות שבאזור הזמן שלך.',
}
