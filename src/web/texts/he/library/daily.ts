import type { EnglishTexts } from '../../en/index.ts'

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
