import type { Collection } from './collection.ts'

export const earlyMasters: Collection = {
  name: 'early-masters',
  title: { en: 'Early masters', he: 'ראשוני החסידות' },
  description: {
    en: 'Works of the students of the Baal Shem Tov and of the Maggid of Mezeritch.',
    he: 'ספרי תלמידי הבעל שם טוב ותלמידי המגיד ממזריטש.',
  },
  works: [
    {
      title: 'Toldot Yaakov Yosef',
      heTitle: 'תולדות יעקב יוסף',
      formerTitles: ['Toledot Yaakov Yosef', "Toldot Ya'akov Yosef"],
    },
    { title: 'Ben Porat Yosef', heTitle: 'בן פורת יוסף' },
    { title: 'Tzofnat Paneach', heTitle: 'צפנת פענח', formerTitles: ['Tzafnat Paneach', 'Tzofnat Paneah'] },
    { title: 'Ketonet Pasim', heTitle: 'כתונת פסים', formerTitles: ['Ketonet Passim'] },
    {
      title: 'Maggid Devarav leYaakov',
      heTitle: 'מגיד דבריו ליעקב',
      formerTitles: ["Maggid Devarav LeYa'akov", 'Magid Devarav LeYaakov'],
    },
    { title: "Me'or Einayim", heTitle: 'מאור עינים', formerTitles: ['Meor Einayim', 'Maor Einayim'] },
    { title: 'Noam Elimelekh', heTitle: 'נועם אלימלך', formerTitles: ['Noam Elimelech'] },
    { title: 'Kedushat Levi', heTitle: 'קדושת לוי' },
    { title: 'Peri HaAretz', heTitle: 'פרי הארץ', formerTitles: ['Pri Haaretz', 'Pri HaAretz'] },
    {
      title: 'Degel Machaneh Ephraim',
      heTitle: 'דגל מחנה אפרים',
      formerTitles: ['Degel Machane Ephraim', 'Degel Machaneh Efraim'],
    },
    { title: "Be'er Mayim Chaim", heTitle: 'באר מים חיים', formerTitles: ["Be'er Mayim Chayim"] },
    { title: 'Chayyim VaChesed', heTitle: 'חיים וחסד', formerTitles: ['Chayim VaChesed', 'Chaim VaChesed'] },
    { title: 'Ohev Yisrael', heTitle: 'אוהב ישראל' },
    { title: 'Arvei Nachal', heTitle: 'ערבי נחל' },
    { title: 'Bat Ayin', heTitle: 'בת עין' },
  ],
  languages: ['he', 'en'],
  licenses: ['Public Domain', 'CC0', 'CC-BY', 'CC-BY-SA', 'CC-BY-NC', 'unknown'],
}
