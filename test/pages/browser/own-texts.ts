import { sql } from 'drizzle-orm'
import type { Database } from '../../../src/db/client.ts'
import { importJsonl } from '../../../src/sources/importers/import-jsonl.ts'

/** A book written for these tests: two parts, Hebrew with nikud and English, and links between its places. */
const lamp = [
  ['Part I; On Lamps', 'חלק א׳; על הנרות', 1, 1],
  ['Part I; On Lamps', 'חלק א׳; על הנרות', 1, 2],
  ['Part I; On Lamps', 'חלק א׳; על הנרות', 1, 3],
  ['Part I; On Lamps', 'חלק א׳; על הנרות', 2, 1],
  ['Part I; On Lamps', 'חלק א׳; על הנרות', 2, 2],
  ['Part II; On Wicks', 'חלק ב׳; על הפתילות', 1, 1],
] as const

const hebrewNumbers = ['', 'א׳', 'ב׳', 'ג׳']

const texts: readonly { readonly en: string; readonly he: string }[] = [
  {
    en: 'A small lamp that is carried into a dark room does not argue with the darkness. It shines, and there is nothing left to argue about; whoever waits for the darkness to agree first will sit in it until morning.',
    he: 'נֵר קָטָן הַנִּכְנָס לְחֶדֶר אָפֵל אֵינוֹ מִתְוַכֵּחַ עִם הַחֹשֶׁךְ. הוּא מֵאִיר, וְאֵין עוֹד עַל מַה לְהִתְוַכֵּחַ; וְהַמַּמְתִּין עַד שֶׁיַּסְכִּים הַחֹשֶׁךְ תְּחִלָּה, יֵשֵׁב בּוֹ עַד הַבֹּקֶר.',
  },
  {
    en: 'נר אחד: Two people who carry one lamp between them walk slower than either would alone, and arrive with more light.',
    he: 'שְׁנַיִם הַנּוֹשְׂאִים נֵר אֶחָד בֵּינֵיהֶם, הִלּוּכָם אִטִּי מִשֶּׁל יָחִיד, וּבָאִים בְּיוֹתֵר אוֹר.',
  },
  {
    en: 'The one who cleans the glass (זכוכית) adds nothing to the flame, and yet the whole street thanks him.',
    he: 'הַמְנַקֶּה אֶת הַזְּכוּכִית אֵינוֹ מוֹסִיף עַל הַשַּׁלְהֶבֶת כְּלוּם, וְאַף עַל פִּי כֵן כָּל הָרְחוֹב מוֹדֶה לוֹ.',
  },
  {
    en: 'Oil that was borrowed burns as brightly as oil that was bought; only the morning after is different.',
    he: 'שֶׁמֶן שָׁאוּל דּוֹלֵק כְּשֶׁמֶן קָנוּי, וְאֵין בֵּינֵיהֶם אֶלָּא הַבֹּקֶר שֶׁלְּאַחַר מִכֵּן.',
  },
  {
    en: 'Whoever counts the lamps of others has no hand free to kindle one &lt;script&gt;document.title = "broken"&lt;/script&gt;&lt;b&gt;of his own&lt;/b&gt;.',
    he: 'הַמּוֹנֶה נֵרוֹתָיו שֶׁל חֲבֵרוֹ, אֵין לוֹ יָד פְּנוּיָה לְהַדְלִיק אֶת שֶׁלּוֹ.',
  },
  {
    en: 'A wick that is proud of its height smokes.',
    he: 'פְּתִילָה הַמִּתְגָּאָה בְּגׇבְהָהּ, מַעֲלָה עָשָׁן.',
  },
]

const lampLines = lamp.map(([part, hePart, chapter, verse], i) => ({
  work: 'The Lamp',
  he_title: 'הנר',
  ref: `The Lamp, ${part} ${chapter}:${verse}`,
  he_ref: `הנר, ${hePart} ${hebrewNumbers[chapter]}:${hebrewNumbers[verse]}`,
  author: 'Miriam of the Lamps',
  category: ['Teachings', 'Parables'],
  version_he: 'First Hebrew printing',
  version_en: 'Translated for the tests',
  license: 'CC0',
  source_url: 'https://example.org/lamp',
  refs: i === 0 ? ['The Wall, North 1', 'A Book Elsewhere 7:3'] : [],
  ...texts[i],
}))

const others = [
  {
    work: 'The Wall',
    ref: 'The Wall, North 1',
    en: 'The wall that was built in one night kept out one wind.',
    author: 'Asher the Builder',
    category: ['Teachings', 'Sayings'],
    license: 'CC-BY',
  },
  {
    work: 'The Wall',
    ref: 'The Wall, South 1',
    en: 'The wall to the south is only a shadow.',
    author: 'Asher the Builder',
    license: 'CC-BY',
  },
  ...Array.from({ length: 90 }, (_, i) => ({
    work: 'A Hundred Steps',
    ref: `A Hundred Steps 1:${i + 1}`,
    en: `Step number ${i + 1} is taken with the other foot, and whoever tires may sit down on it and count again from the beginning.`,
    category: 'Exercises',
    license: 'own',
  })),
]

const secondTranslation = lampLines.map(({ he, version_he, ...line }, i) => ({
  ...line,
  version_en: 'Another translation',
  license: 'CC-BY-SA',
  en: `In other words, passage ${i + 1}: light is given and darkness is not answered.`,
}))

/** Imports the texts of the tests; the first work twice, with another translation. */
export async function importOwnTexts(database: Database): Promise<void> {
  for (const lines of [[...lampLines, ...others], secondTranslation]) {
    await importJsonl(database, jsonl(lines), { allowLicenses: [] })
  }
  // No import takes such an address now; a library may have it from a former one.
  await database.system.execute(sql`
    update versions set source_url = 'javascript:document.title="broken"'
    where work_id = (select id from works where title = 'The Wall')`)
}

async function* jsonl(lines: readonly object[]): AsyncGenerator<string> {
  for (const line of lines) yield JSON.stringify(line)
}
