/** Class of a licence, which decides whether a text may be imported. Unrecognised licences are `unknown`. */
export type LicenseClass = 'open' | 'own' | 'cc-by-nc' | 'unknown'

/** Classes of licences that an import stores only with the operator's permission. */
export const restrictedLicenses = ['cc-by-nc', 'unknown'] as const
export type RestrictedLicense = (typeof restrictedLicenses)[number]

/**
 * Classifies a licence as sources write it (`CC BY-SA 4.0`, `Public Domain`, `own`). Only a text that is one licence
 * and nothing more is recognised: `CC0 / CC-BY-NC` and `Public Domain (original)` are `unknown`.
 */
export function classifyLicense(license: string): LicenseClass {
  const name = shortName(license)
  if (name === 'own') return 'own'
  if (/^(public-domain(-mark)?|pd|cc0)$/.test(name)) return 'open'
  if (/^cc-by(-sa)?$/.test(name)) return 'open'
  return /^cc-by(-(nc|sa|nd))*$/.test(name) && name.includes('-nc') ? 'cc-by-nc' : 'unknown'
}

/** Short forms of the words in the names of licences. */
const shortForms: readonly (readonly [RegExp, string])[] = [
  [/creative commons/g, 'cc'],
  [/attribution/g, 'by'],
  [/non-?commercial/g, 'nc'],
  [/share-?alike/g, 'sa'],
  [/no-?deriv(?:ative|ative work)?s/g, 'nd'],
  [/publicdomain/g, 'public-domain'],
]

/** Lower-case name of a licence with short forms and hyphens, without its version number: `cc-by-sa`. */
function shortName(license: string): string {
  const lower = license.toLowerCase().replace(/\u2010|\u2011/g, '-')
  return shortForms
    .reduce((name, [word, short]) => name.replace(word, short), lower)
    .replace(/[\s_-]+/g, '-')
    .replace(/^["'\s-]+|["'.\s-]+$/g, '')
    .replace(/^cc-(0|zero)\b/, 'cc0')
    .replace(/-(licen[cs]e|public-licen[cs]e|public-domain-dedication)$/, '')
    .replace(/-v?\d+(\.\d+)*(-(international|unported|generic|universal))?$/, '')
}

/** Why an import skips a text with this licence, and the option that allows it. */
export function licenseRefusal(license: string): string {
  const kind = classifyLicense(license)
  return `licence "${license}" is not allowed: add --allow-license ${kind === 'cc-by-nc' ? kind : 'unknown'}`
}

/** Whether an import may store a text with this licence, given the classes that the operator allows. */
export function mayImport(license: string, allowed: readonly RestrictedLicense[]): boolean {
  const kind = classifyLicense(license)
  return kind === 'open' || kind === 'own' || allowed.includes(kind)
}
