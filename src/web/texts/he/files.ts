import type { EnglishTexts } from '../en/index.ts'
import { fileTypes, typeNameIn } from '../grammar/file-types.ts'

export const files: EnglishTexts['files'] = {
  content: 'תוכן',
  versions: 'גרסאות',
  version: 'גרסה',
  change: 'שינוי הקובץ',
  deleteDots: 'מחיקת הקובץ…',
  deleteQuestion: 'המחיקה סופית: הקובץ נמחק עם כל הגרסאות שלו.',
  deleteConfirm: 'כן, למחוק אותו',
  type: 'סוג',
  typeName: typeNameIn({ ...fileTypes, 'text/plain': 'טקסט', 'application/octet-stream': 'קובץ' }),
  origin: 'מקור',
  uploaded: 'הועלה',
  anAnswer: 'תשובה',
  image: (name) => `התמונה ${name}`,
  empty: 'הקובץ ריק.',
  noPreview: (problem) => `אין תצוגה מקדימה. ${problem}`,
  partPreview: (problem) => `התצוגה המקדימה חלקית. ${problem}`,
  cut: 'מוצגת רק ההתחלה. כדי לקרוא את כל הקובץ יש להוריד אותו.',
  downloadVersion: (version) => `הורדה: גרסה ${version}`,
  unread: 'הקובץ הועלה, אבל תשובות אינן יכולות לקרוא אותו.',
  renamed: 'שם הקובץ שונה.',
}
