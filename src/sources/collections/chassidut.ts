import { baalShemTov } from './baal-shem-tov.ts'
import { breslov } from './breslov.ts'
import { chabad } from './chabad.ts'
import type { Collection } from './collection.ts'
import { earlyMasters } from './early-masters.ts'
import { polishSchools } from './polish-schools.ts'

export const chassidut: Collection = {
  name: 'chassidut',
  title: { en: 'All of Chassidut', he: 'כל ספרי החסידות' },
  description: {
    en: 'The works of all collections, and every other work that the index has under Chasidut.',
    he: 'ספרי כל האוספים, וכל שאר הספרים שבמפתח תחת חסידות.',
  },
  works: [
    ...[baalShemTov, earlyMasters, chabad, breslov, polishSchools].flatMap(({ works }) => works),
    {
      title: 'Bnei Yissaschar',
      heTitle: 'בני יששכר',
      formerTitles: ['Bnei Yissachar', "B'nei Yissaschar"],
    },
    { title: 'Agra DeKala', heTitle: 'אגרא דכלה', formerTitles: ['Igra DeKala'] },
    { title: 'Zera Kodesh', heTitle: 'זרע קודש' },
    { title: 'Yismach Moshe', heTitle: 'ישמח משה' },
    { title: 'Beit Aharon', heTitle: 'בית אהרן' },
  ],
  categories: ['Chasidut'],
  languages: ['he', 'en'],
  licenses: ['Public Domain', 'CC0', 'CC-BY', 'CC-BY-SA', 'CC-BY-NC', 'unknown'],
}
