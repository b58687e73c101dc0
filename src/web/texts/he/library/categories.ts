/** Hebrew names of the categories that collections and the starter library have, and of the starter library itself. */
export const categories: Readonly<Record<string, string>> = {
  Acharonim: 'אחרונים',
  Chabad: 'חב״ד',
  Chasidut: 'חסידות',
  Commentary: 'פירושים',
  Halakhah: 'הלכה',
  'Jewish Thought': 'מחשבת ישראל',
  Kabbalah: 'קבלה',
  Liturgy: 'תפילה',
  Midrash: 'מדרש',
  Mishnah: 'משנה',
  Musar: 'מוסר',
  Prophets: 'נביאים',
  Reference: 'ספרי עזר',
  Responsa: 'שו״ת',
  Rishonim: 'ראשונים',
  Siddur: 'סידור',
  'Starter library': 'הספרייה ההתחלתית',
  Talmud: 'תלמוד',
  Bavli: 'בבלי',
  Yerushalmi: 'ירושלמי',
  Tanakh: 'תנ״ך',
  Targum: 'תרגום',
  Torah: 'תורה',
  Tosefta: 'תוספתא',
  Writings: 'כתובים',
  Zohar: 'זוהר',
  concept: 'מושגים',
  person: 'אישים',
  practice: 'הנהגות',
  work: 'ספרים',
}

/** Hebrew titles of the versions of the starter library. */
export const versions: Readonly<Record<string, string>> = {
  'Starter library, English': 'הספרייה ההתחלתית, אנגלית',
  'Starter library, Hebrew': 'הספרייה ההתחלתית, עברית',
}
