import { html } from 'hono/html'
import type { EnglishTexts } from '../../en/index.ts'
import { counter } from '../../grammar/plural.ts'

const count = counter('he')

export const collections: EnglishTexts['operator']['collections'] = {
  title: 'אוספים',
  about: html`ספרים נבחרים מהייצוא הציבורי של ספריא. בשורת הפקודה:
<code>npm run -s service -- sources add</code>`,
  held: (held, works, andOthers) => `בספרייה: ${held} מתוך ${works} ברשימה${andOthers ? ' (ואחרים)' : ''}`,
  stopping: 'נעצר…',
  update: 'עדכון',
  goOn: 'המשך',
  added: (day) => html`נוסף ב־${day}. `,
  waiting: 'ממתין להתחלה.',
  cancelled: 'הייבוא האחרון בוטל. מה שכבר נוסף נשמר.',
  failed: 'הייבוא האחרון נכשל:',
  notAdded: 'לא נוסף.',
  adding: (title) => `הוספת ${title}`,
  looking: 'נבדק מה עתיד להגיע…',
  worksDone: (done, works, passages) => `${done} מתוך ${works} · ${passages}`,
  perSecond: (number) => ` · ${number} בשנייה`,
  timeLeft: (duration) => ` · נותרו ${duration}`,
  imported: (versions, works, passages, unchanged) =>
    `יובאו ${versions}, ${works}, ${passages}; ${unchanged} ללא שינוי.`,
  unchanged: (versions) => `${versions} ללא שינוי.`,
  leftOut: 'לא נכללו',
  leftOutErrors: (failed) => `לא נכללו, ${failed} מהם בגלל תקלות`,
  leftOutWhy: (files, why) => `${files}: ${why}`,
  addTitle: (title) => `הוספת ${title}`,
  back: 'חזרה לספרייה',
  unreachable: html`יש לקבוע את <code>LIBRARY_EXPORT</code> לתיקייה שבה הייצוא או לכתובת של אתר מראה, ולהפעיל את השירות מחדש.
אפשר גם להוסיף את האוסף בשורת הפקודה:`,
  noWork: (place) => `ב־${place} אין אף ספר מהאוסף הזה.`,
  from: 'מקור',
  renamed: 'שם אחר',
  renamedTo: (listed, found) => `${listed} מופיע שם בשם ${found}`,
  missing: 'חסרים שם',
  free: 'רישיונות חופשיים',
  none: 'אין',
  beingAdded: 'האוסף הזה נמצא בהוספה.',
  moreThan: (size) => `יותר מ־${size}`,
  permissions: {
    'cc-by-nc': {
      label: 'גם טקסטים לשימוש לא מסחרי',
      meaning: 'יש לאשר אותם רק אם השירות הזה אינו מסחרי.',
    },
    unknown: {
      label: 'גם טקסטים שהרישיון שלהם אינו ידוע',
      meaning: 'האחריות לזכות להשתמש בהם היא שלך.',
    },
  },
  unseen: count({
    one: 'קובץ אחד שרישיונו עדיין לא ידוע',
    two: 'שני קבצים שרישיונם עדיין לא ידוע',
    other: (n) => `${n} קבצים שרישיונם עדיין לא ידוע`,
  }),
  needPermission: 'רישיונות שדורשים אישור',
  addToLibrary: 'הוספה לספרייה',
}
