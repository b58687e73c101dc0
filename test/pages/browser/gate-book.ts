import { callTools } from '../../support/scripted-upstream.ts'

/** A small book of our own, in the form of an import; one text carries markup, as a hostile import would. */
export const gateBook = [
  {
    work: 'The Gate',
    ref: 'The Gate 1:1',
    he_ref: 'השער א׳:א׳',
    en: 'A small lamp that is carried into a dark room does not argue with the darkness; it only shines.',
    he: 'נֵר קָטָן הַנִּכְנָס לְחֶדֶר אָפֵל אֵינוֹ מִתְוַכֵּחַ עִם הַחֹשֶׁךְ, אֶלָּא מֵאִיר.',
    version_he: 'Gate, first printing',
    version_en: 'Gate, our translation',
    license: 'CC0',
    source_url: 'https://example.org/gate/1',
  },
  {
    work: 'The Gate',
    ref: 'The Gate 2:1',
    he_ref: 'השער ב׳:א׳',
    en: 'Whoever counts his own good deeds on the road arrives late, because his hands are full of numbers.',
    version_en: 'Gate, our translation',
    license: 'CC0',
    source_url: 'https://example.org/gate/2',
  },
  {
    work: 'The Hostile Book',
    ref: 'The Hostile Book 1:1',
    he_ref: '<img src=x onerror=alert(1)>',
    en: 'Before &lt;script>document.title = "owned"&lt;/script> and &lt;img src=x onerror="document.title = \'owned\'"> after it.',
    version_en: '<b onclick=alert(1)>Edition</b>',
    license: 'CC0',
  },
]

/** Reads what the answers of these tests cite: `[S1]` Hebrew and `[S2]` English of 1:1, `[S3]` English of 2:1. */
export function readingTheGate() {
  const read = (ref: string) => ({ name: 'read_source', arguments: { ref } })
  return [callTools([read('The Gate 1:1')]), callTools([read('The Gate 2:1')])]
}
