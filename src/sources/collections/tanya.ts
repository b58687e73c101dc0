import type { Collection, CollectionWork } from './collection.ts'

export const tanyaWork: CollectionWork = {
  title: 'Tanya',
  heTitle: 'תניא',
  formerTitles: ['Likkutei Amarim', 'Likutei Amarim'],
}

export const tanya: Collection = {
  name: 'tanya',
  title: { en: 'Tanya', he: 'תניא' },
  description: {
    en: 'The five parts of the Tanya by Rabbi Shneur Zalman of Liadi.',
    he: 'חמשת חלקי התניא לרבי שניאור זלמן מליאדי.',
  },
  works: [tanyaWork],
  languages: ['he', 'en', 'es', 'fr', 'pt'],
  licenses: ['CC-BY-NC', 'CC0', 'unknown'],
}
