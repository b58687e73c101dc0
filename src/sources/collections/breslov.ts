import type { Collection } from './collection.ts'

export const breslov: Collection = {
  name: 'breslov',
  title: { en: 'Breslov', he: 'ברסלב' },
  description: {
    en: 'The teachings, tales and talks of Rabbi Nachman of Breslov, and the works of Rabbi Natan.',
    he: 'תורותיו, סיפוריו ושיחותיו של רבי נחמן מברסלב, וספרי רבי נתן.',
  },
  works: [
    { title: 'Likutei Moharan', heTitle: 'ליקוטי מוהר״ן', formerTitles: ['Likkutei Moharan'] },
    {
      title: 'Sippurei Maasiyot',
      heTitle: 'סיפורי מעשיות',
      formerTitles: ["Sippurei Ma'asiyot", 'Sipurei Maasiyot'],
    },
    { title: 'Sichot HaRan', heTitle: 'שיחות הר״ן' },
    { title: 'Shivchei Haran', heTitle: 'שבחי הר״ן', formerTitles: ['Shivchei HaRan'] },
    { title: 'Chayei Moharan', heTitle: 'חיי מוהר״ן', formerTitles: ['Chayyei Moharan'] },
    { title: 'Sefer HaMiddot', heTitle: 'ספר המידות', formerTitles: ['Sefer HaMidot'] },
    { title: 'Likkutei Etzot', heTitle: 'ליקוטי עצות', formerTitles: ['Likutei Etzot'] },
    {
      title: 'Likutei Tefilot',
      heTitle: 'ליקוטי תפילות',
      formerTitles: ['Likkutei Tefillot', 'Likutei Tefillot'],
    },
    {
      title: 'Likutei Halakhot',
      heTitle: 'ליקוטי הלכות',
      formerTitles: ['Likutei Halachot', 'Likkutei Halakhot'],
    },
  ],
  languages: ['he', 'en', 'es', 'fr', 'pt', 'it'],
  licenses: ['CC-BY-NC', 'CC0', 'CC-BY', 'Public Domain', 'unknown'],
}
