import type { EnglishTexts } from '../../en/index.ts'
import { counter } from '../../grammar/plural.ts'

const count = counter('he')

export const library: EnglishTexts['operator']['library'] = {
  pageTitle: 'הספרייה, למפעילים',
  check: 'בדיקה עכשיו',
  emptyHint: 'אפשר להוסיף אוסף למעלה, או לייבא טקסטים בשורת הפקודה, כמתואר למטה.',
  tooLong: 'הבדיקה ארוכה מדי לדף. אפשר להריץ אותה בשורת הפקודה, כמתואר למטה.',
  extent: (texts, links, compared) => `${texts} ו־${links} קישורים נבדקו, ${compared} הושוו לאינדקס.`,
  noFaults: (extent) => `לא נמצאו תקלות: ${extent}`,
  broken: count({ one: 'כלל אחד הופר', two: 'שני כללים הופרו', other: (n) => `${n} כללים הופרו` }),
  table: 'ספרים ומהדורות',
  version: 'מהדורה',
  texts: 'טקסטים',
  imports: 'ייבוא',
  importsAbout:
    'הייבוא מתבצע בשורת הפקודה. ייבוא שנקטע ממשיך מהמקום שבו נעצר. מריצים את הפקודות בתיקיית השירות, עם ההגדרות שלו; השירות יכול להמשיך לפעול:',
  commands: {
    collection: 'אוסף; בלי שם, רשימת האוספים',
    sefaria: 'ספרים מספריא, לפי שמם',
    export: 'ספרים מקובצי הייצוא של ספריא',
    jsonl: 'טקסטים משלך, אובייקט JSON בכל שורה',
    markdown: 'ספר ב־Markdown',
    check: 'בדיקת הכול',
    remove: 'הסרת ספר',
  },
  size: (works, versions, texts) => `${works}, ${versions}, ${texts}`,
}
