import type { Messages } from '../../grammar/translate.ts'

/** Messages about source sheets, bookmarks and notes. */
export const libraryMessages: Messages = {
  'The library has no work "{work}". The nearest names: {names}.':
    'אין בספרייה ספר בשם ”{work}”. השמות הקרובים: {names}.',
  'The library has no work "{work}". GET /v1/sources/works lists works with their authors and categories.':
    'אין בספרייה ספר בשם ”{work}”. דף הספרייה מציג את הספרים, המחברים והנושאים.',
  'No author of the library is called "{author}". The nearest names: {names}.':
    'אין בספרייה מחבר בשם ”{author}”. השמות הקרובים: {names}.',
  'No author of the library is called "{author}". GET /v1/sources/works lists works with their authors and categories.':
    'אין בספרייה מחבר בשם ”{author}”. דף הספרייה מציג את הספרים, המחברים והנושאים.',
  'The library has no category "{category}". The nearest names: {names}.':
    'אין בספרייה נושא בשם ”{category}”. השמות הקרובים: {names}.',
  'The library has no category "{category}". GET /v1/sources/works lists works with their authors and categories.':
    'אין בספרייה נושא בשם ”{category}”. דף הספרייה מציג את הספרים, המחברים והנושאים.',
  'The library has no texts in the language "{language}". Use one of: {languages}.':
    'אין בספרייה טקסטים בשפה ”{language}”. אלה הקודים של שפות הספרייה: {languages}.',
  'The period "{period}" is no century. Use its number, such as 18, or -5 for the 5th century BCE, or "undated".':
    '”{period}” אינה מאה. יש לכתוב את מספרה, כגון 18, או ‎-5 למאה ה־5 לפנה״ס, או ”undated” לספרים ללא תאריך.',
  'The years begin with {from} and end with {to}. Give an earlier first year or a later last year.':
    'השנים מתחילות ב־{from} ומסתיימות ב־{to}. יש לבחור שנת התחלה מוקדמת יותר או שנת סיום מאוחרת יותר.',
  'The field "from" is not valid: must be a year of the common era from {min} to {max}, such as 1796, or -500 for 500 BCE.':
    'בשדה ”משנת” יש לכתוב שנה לספירה הכללית, בין ‎{min} ל־{max}, כגון 1796, או ‎-500 לשנת 500 לפנה״ס.',
  'The field "to" is not valid: must be a year of the common era from {min} to {max}, such as 1796, or -500 for 500 BCE.':
    'בשדה ”עד שנת” יש לכתוב שנה לספירה הכללית, בין ‎{min} ל־{max}, כגון 1796, או ‎-500 לשנת 500 לפנה״ס.',
  'Enter a ref, such as Tanya 32.': 'יש להזין מראה מקום, כגון תניא ל״ב.',
  'Enter a title for the sheet.': 'יש להזין כותרת לדף.',
  '{what} has {has} characters. It may have {may} characters: shorten it.':
    'הטקסט ארוך: {has} תווים. מותר לכל היותר {may} תווים, ויש לקצר.',
  'An account may have {max} source sheets. Delete one first.':
    'בחשבון יכולים להיות לכל היותר {max} דפי מקורות. יש למחוק דף קודם.',
  'A sheet may have {max} passages and notes. Remove one, or begin another sheet.':
    'בדף יכולים להיות לכל היותר {max} קטעים והערות. אפשר להסיר אחד, או לפתוח דף נוסף.',
  'The sheet has no passage of the library. Add one first.': 'אין בדף קטע מן הספרייה. יש להוסיף קטע קודם.',
  'The passages of the sheet have more than {max} characters. Remove some.':
    'בקטעים של הדף יש יותר מ־{max} תווים. יש להסיר כמה מהם.',
  'The file could not be made. Try again, or choose another format.':
    'לא ניתן היה ליצור את הקובץ. אפשר לנסות שוב, או לבחור פורמט אחר.',
  'An account may have {most}. Remove one first.': 'החשבון הגיע למספר המרבי. יש להסיר אחד קודם.',
}
