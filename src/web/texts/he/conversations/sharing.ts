import { html } from 'hono/html'
import type { EnglishTexts } from '../../en/index.ts'

export const sharing: EnglishTexts['sharing'] = {
  share: 'שיתוף',
  shared: 'משותפת',
  about:
    'כל מי שיש לו הקישור יכול לקרוא את השאלות, התשובות והמקורות עד כאן, וגם קטעים מהקבצים שלך שהתשובות מצטטות. הקישור אינו מראה את שמך או את חשבונך, ואפשר לבטל אותו.',
  create: 'יצירת קישור',
  link: 'קישור ציבורי',
  upTo: (turn) => `הוא מראה את השיחה עד שאלה ${turn}.`,
  copyLink: 'העתקת הקישור',
  open: 'פתיחה',
  include: 'הוספת השאלות החדשות',
  revoke: 'ביטול הקישור',
  note: (library) => html`שיחה משותפת. ליד כל ציטוט מוצגת תוצאת הבדיקה שלו מול הספרייה. ${library}`,
  openLibrary: 'אל הספרייה',
  none: 'עדיין אין תשובות',
  noneHint: 'אין בשיחה תשובה שהושלמה.',
}
