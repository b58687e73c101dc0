import { type FakeSection, leaf, schemaFile } from './fake-sefaria.ts'

const versions = {
  manuscript: { versionTitle: 'Manuscript', language: 'he', license: 'CC0' },
  community: { versionTitle: 'Community Translation', language: 'en', license: 'CC-BY' },
  press: { versionTitle: 'Press', language: 'en', license: 'CC-BY-NC' },
} as const

type VersionName = keyof typeof versions

const familyOf = { he: 'hebrew', en: 'english' } as const

function header(name: VersionName) {
  const version = versions[name]
  return { ...version, actualLanguage: version.language, languageFamilyName: familyOf[version.language] }
}

/** A section of a work as the publisher's API gives it, in these versions. */
export function publisherSection(
  ref: string,
  heRef: string,
  texts: Readonly<Partial<Record<VersionName, readonly string[]>>>,
  fields: object = {},
): FakeSection {
  const names = Object.keys(texts) as VersionName[]
  const [, book = ref, number] = /^(.*?) (\d+[ab]?)$/.exec(ref) ?? []
  return {
    ref,
    heRef,
    sectionRef: ref,
    heSectionRef: heRef,
    sections: number === undefined ? [] : [number],
    indexTitle: book.split(', ')[0],
    heIndexTitle: 'נר הבית',
    book,
    categories: ['Chasidut', 'Made Up'],
    textDepth: number === undefined ? 1 : 2,
    addressTypes: number === undefined ? ['Integer'] : ['Integer', 'Integer'],
    available_versions: names.map(header),
    versions: names.map((name) => ({ ...header(name), text: texts[name] })),
    ...fields,
  }
}

/** A work of the publisher with an introduction and three chapters; the second chapter may only be linked. */
export const lampSections: readonly FakeSection[] = [
  publisherSection('House Lamp, Introduction', 'נר הבית, הקדמה', { manuscript: ['פתח דבר של הנר'] }),
  publisherSection('House Lamp 1', 'נר הבית א׳', {
    manuscript: ['הנר הראשון דולק בבית', 'ואורו הולך וגדל'],
    community: ['The first lamp burns in the house.', 'And its light grows and grows.'],
  }),
  publisherSection('House Lamp 2', 'נר הבית ב׳', { press: ['The second lamp may not be copied.'] }),
  publisherSection('House Lamp 3', 'נר הבית ג׳', {
    manuscript: ['הנר השלישי מאיר לרחוב'],
    community: [
      'The third lamp<sup class="footnote-marker">1</sup><i class="footnote">Of oil.</i> shines into the street.',
    ],
  }),
]

/** The publisher's record of that work. */
export const lampRecords = {
  'House Lamp': Object.values(
    schemaFile('House Lamp', 'נר הבית', {
      nodes: [leaf('Introduction', 'הקדמה', ['Integer']), leaf('', '', ['Integer', 'Integer'])],
    }),
  )[0],
}
