import type { EnglishTexts } from '../en/index.ts'

export const errors: EnglishTexts['errors'] = {
  titles: {
    400: 'הבקשה אינה תקינה',
    403: 'אי אפשר לעשות זאת מכאן',
    404: 'הדף לא נמצא',
    409: 'אי אפשר לעשות זאת עכשיו',
    413: 'גדול מדי',
    429: 'יותר מדי בקשות',
    503: 'השירות עמוס',
  },
  anyTitle: 'משהו השתבש',
  notFound: 'הדף אינו קיים, או שהוא שייך לחשבון אחר.',
  startPage: 'לדף הפתיחה',
  request: (id) => `בקשה ${id}`,
}
