import type { EnglishTexts } from '../en/index.ts'
import { fieldNames } from './messages/field-messages.ts'

export const errors: EnglishTexts['errors'] = {
  titles: {
    400: 'הבקשה אינה תקינה',
    403: 'אי אפשר לעשות זאת',
    404: 'הדף לא נמצא',
    409: 'אי אפשר לעשות זאת עכשיו',
    413: 'גדול מדי',
    429: 'יותר מדי בקשות',
    503: 'השירות עמוס',
  },
  anyTitle: 'משהו השתבש',
  notFound: 'הדף אינו קיים, או שהוא שייך לחשבון אחר.',
  startPage: 'לדף הפתיחה',
  back: 'חזרה',
  request: (id) => `בקשה ${id}`,
  kept: 'מה שכתבת',
  keptHint: 'דבר לא אבד. אפשר לתקן את הכתוב, ואז לשלוח.',
  keptToCopy: 'דבר לא אבד: אפשר להעתיק את הכתוב למקום אחר.',
  send: 'שליחה',
  backAgain: 'הטופס חזר',
  backAgainHint: 'נכנסת שוב לחשבון. הטופס עוד לא נשלח: אפשר לקרוא את הכתוב, ואז לשלוח.',
  fields: fieldNames,
}
