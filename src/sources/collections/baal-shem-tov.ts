import type { Collection } from './collection.ts'

export const baalShemTov: Collection = {
  name: 'baal-shem-tov',
  title: { en: 'Baal Shem Tov', he: 'הבעל שם טוב' },
  description: {
    en: 'Teachings in the name of the Baal Shem Tov, as his students and later collectors wrote them.',
    he: 'תורות בשם הבעל שם טוב, כפי שכתבו תלמידיו והמלקטים שאחריהם.',
  },
  works: [
    {
      title: "Tzava'at HaRivash",
      heTitle: 'צוואת הריב״ש',
      formerTitles: ['Tzavaat HaRivash', 'Tzavat HaRivash'],
    },
    { title: 'Keter Shem Tov', heTitle: 'כתר שם טוב' },
    {
      title: "Ba'al Shem Tov",
      heTitle: 'בעל שם טוב',
      formerTitles: ['Baal Shem Tov', "Ba'al Shem Tov on the Torah", 'Sefer Baal Shem Tov'],
    },
    {
      title: 'Mekor Mayim Chayim on Baal Shem Tov',
      heTitle: 'מקור מים חיים על בעל שם טוב',
      formerTitles: ["Mekor Mayim Chayim on Ba'al Shem Tov"],
    },
  ],
  languages: ['he', 'en', 'es', 'fr', 'pt', 'it'],
  licenses: ['Public Domain', 'CC0', 'CC-BY', 'CC-BY-NC', 'unknown'],
}
