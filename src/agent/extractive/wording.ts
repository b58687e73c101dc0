/** The sentences of the extractive provider around its quotations. */
export const wording = {
  en: {
    start: 'Passages from the library (no written summary).',
    named: 'At the place that the question names:',
    most: 'A search for the words of the question found, closest first:',
    some: 'A search found no passage with most words of the question. These have some of them, and may speak of something else:',
    nobody:
      'A search found no passage about that person. These have a part of the name, and may speak of somebody else:',
    attached: 'From the attached file and the library, passages with words of the question:',
    none: 'A search of the library found no passage that answers this.',
    missingBook: 'If a book is missing, ask the person who runs this service to add it.',
    noRuling:
      'This service gives no halachic rulings and makes no personal decisions. For those, ask a rabbi who knows the circumstances.',
    study: 'For study, and not as a ruling, passages on the subject:',
    texts: 'Primary texts on this:',
    primary: 'To read on, in this library:',
    file: (name: string) => `The same passages were written to the file ${name}.`,
    unread: (name: string, reason: string) => `The file ${name} cannot be read. ${reason}`,
    partlyRead: (name: string, reason: string) => `Only a part of the file ${name} was read. ${reason}`,
    noText: (name: string) => `The file ${name} has no text.`,
    notRead: 'An attached file was not read.',
    filesOff: 'The attached files were not read: this turn has no tool for files.',
  },
  he: {
    start: 'קטעים מן הספרייה (ללא סיכום כתוב).',
    named: 'במקום שנזכר בשאלה כתוב:',
    most: 'בחיפוש לפי מילות השאלה נמצאו, מן הקרוב ביותר:',
    some: 'בחיפוש לא נמצא קטע שבו רוב מילות השאלה. כאן נמצאות מקצתן, וייתכן שמדובר בעניין אחר:',
    nobody: 'בחיפוש לא נמצא קטע על אדם זה. בקטעים אלה נמצא חלק מן השם, וייתכן שמדובר באדם אחר:',
    attached: 'מן הקובץ המצורף ומן הספרייה, קטעים שיש בהם ממילות השאלה:',
    none: 'בחיפוש בספרייה לא נמצא קטע שמשיב על כך.',
    missingBook: 'אם חסר ספר, אפשר לבקש ממי שמפעיל את השירות להוסיף אותו.',
    noRuling: 'שירות זה אינו פוסק הלכה ואינו מכריע בשאלות אישיות. בכגון אלה יש לשאול רב המכיר את הנסיבות.',
    study: 'ללימוד ולא להלכה למעשה, קטעים בעניין זה:',
    texts: 'מקורות ראשונים בעניין זה:',
    primary: 'להמשך עיון, בספרייה זו:',
    file: (name: string) => `הקטעים נכתבו גם לקובץ:\n${name}`,
    // Tools give their reasons in English only, so Hebrew answers say what can be read.
    unread: (name: string, _reason: string) =>
      `אפשר לקרוא טקסט, PDF שיש בו טקסט ו־DOCX, ללא סיסמה ושאינם גדולים מדי. הקובץ הזה לא נקרא:\n${name}`,
    partlyRead: (name: string, _reason: string) => `רק חלק מן הקובץ הזה נקרא:\n${name}`,
    noText: (name: string) => `אין טקסט בקובץ:\n${name}`,
    notRead: 'קובץ מצורף לא נקרא.',
    filesOff: 'הקבצים המצורפים לא נקראו: אין כאן כלי לקריאת קבצים.',
  },
} as const
