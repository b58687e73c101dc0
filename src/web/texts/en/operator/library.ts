import { counter } from '../../grammar/plural.ts'

const count = counter('en')

/** `/operator/library`: what the library holds, a check of it, and how to import texts. */
export const library = {
  pageTitle: 'Library, for operators',
  check: 'Check it now',
  emptyHint: 'Add a collection above, or import texts on the command line, as shown below.',
  tooLong: 'The check takes too long for a page. Run it on the command line, as shown below.',
  extent: (texts: string, links: number, compared: number) =>
    `${texts} and ${links} links checked, ${compared} compared with the index.`,
  noFaults: (extent: string) => `No faults found: ${extent}`,
  broken: count({ one: '1 rule broken', other: (n) => `${n} rules broken` }),
  table: 'Works and versions',
  version: 'Version',
  texts: 'Texts',
  imports: 'Imports',
  importsAbout: `These imports run on the command line. An interrupted import continues where it stopped. Run them in the
folder of the service, with its settings; the service can keep running:`,
  commands: {
    collection: 'A collection; without a name, the list of them',
    sefaria: 'Works from Sefaria, by title',
    export: 'Works from Sefaria’s export files',
    jsonl: 'Your own texts, one JSON object per line',
    markdown: 'A book in Markdown',
    check: 'Check everything',
    remove: 'Remove a work',
  },
  size: (works: string, versions: string, texts: string) => `${works} in ${versions}, ${texts}`,
}
