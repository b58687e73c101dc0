import type { EnglishTexts } from '../en/index.ts'
import { counter } from '../grammar/plural.ts'

const count = counter('he')

/** Names of the built-in plans. */
const plans: Readonly<Record<string, string>> = {
  free: 'חינם',
  basic: 'בסיסית',
  pro: 'מקצועית',
  unlimited: 'ללא הגבלה',
}

export const common: EnglishTexts['common'] = {
  older: 'הקודמים',
  newest: 'החדשים ביותר',
  firstPage: 'לדף הראשון',
  untitled: 'ללא שם',
  deleted: 'נמחק',
  unknown: 'לא ידוע',
  never: 'אף פעם',
  name: 'שם',
  rename: 'שינוי השם',
  cancel: 'ביטול',
  actions: 'פעולות',
  download: 'הורדה',
  copy: 'העתקה',
  copyWhat: (what) => `העתקה: ${what}`,
  created: 'נוצר',
  status: 'מצב',
  plan: 'תוכנית',
  planName: (name) => (Object.hasOwn(plans, name) ? (plans[name] ?? name) : name),
  project: 'פרויקט',
  projects: 'פרויקטים',
  email: 'כתובת דואר אלקטרוני',
  password: 'סיסמה',
  newPassword: 'סיסמה חדשה',
  source: 'מקור',
  sourceOf: (what) => `מקור: ${what}`,
  close: 'סגירה',
  credits: (amount) => `${amount} קרדיטים`,
  chapters: count({ one: 'פרק אחד', two: 'שני פרקים', other: (n) => `${n} פרקים` }),
  filesCount: count({ one: 'קובץ אחד', two: 'שני קבצים', other: (n) => `${n} קבצים` }),
  passages: count({ one: 'קטע אחד', two: 'שני קטעים', other: (n) => `${n} קטעים` }),
  permissions: count({ one: 'הרשאה אחת', two: 'שתי הרשאות', other: (n) => `${n} הרשאות` }),
  questions: count({ one: 'שאלה אחת', two: 'שתי שאלות', other: (n) => `${n} שאלות` }),
  steps: count({ one: 'שלב אחד', two: 'שני שלבים', other: (n) => `${n} שלבים` }),
  texts: count({ one: 'טקסט אחד', two: 'שני טקסטים', other: (n) => `${n} טקסטים` }),
  turns: count({ one: 'שאלה אחת', two: 'שתי שאלות', other: (n) => `${n} שאלות` }),
  versions: count({ one: 'מהדורה אחת', two: 'שתי מהדורות', other: (n) => `${n} מהדורות` }),
  works: count({ one: 'ספר אחד', two: 'שני ספרים', other: (n) => `${n} ספרים` }),
}
