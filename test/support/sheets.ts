import type { Sheet, SheetSource, SheetVersion } from '../../src/workspace/sheets/sheet.ts'

/** Short invented texts that are hard to typeset: points, brackets, numbers and two scripts. */
export const pointed =
  'נֵר קָטָן אֵינוֹ מִתְוַכֵּחַ עִם הַחֹשֶׁךְ (אֲפִלּוּ מֵרָחוֹק): "וְכָל־מִי שֶׁרוֹאֶה" – עַיֵּן Book of Lamps, עמ׳ 12–15, תשפ״ו.'
export const english = 'A small lamp does not argue (even from afar); see ספר הנרות, pp. 12–15.'
export const cantillated = 'שָׁמַ֣עְתִּי ק֔וֹל הַנֵּ֖ר בַּלַּ֥יְלָה׃'

export const version = (language: 'he' | 'en', more: Partial<SheetVersion> = {}): SheetVersion => ({
  language,
  work: 'The Gate',
  heWork: 'השער',
  title: language === 'he' ? 'Vocalised edition' : 'Plain translation',
  license: 'CC BY 4.0',
  url: `https://example.org/gate/${language}`,
  ...more,
})

export const source = (more: Partial<SheetSource> = {}): SheetSource => ({
  heading: 'The lamp',
  note: 'Why only a small one?',
  ref: 'The Gate 1:1',
  heRef: 'השער א׳:א׳',
  rows: [{ label: { he: '', en: '' }, texts: { he: pointed, en: english } }],
  versions: [version('he'), version('en')],
  ...more,
})

export const sheet = (more: Partial<Sheet> = {}): Sheet => ({
  title: 'On lamps',
  intro: 'Read each source for itself.',
  sources: [source()],
  ...more,
})
