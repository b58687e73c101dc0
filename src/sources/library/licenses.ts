/** Class of a licence, which decides whether a text may be imported. Unrecognised licences are `unknown`. */
export type LicenseClass = 'open' | 'own' | 'cc-by-nc' | 'unknown'

/** Classes of licences that an import stores only with the operator's permission. */
export const restrictedLicenses = ['cc-by-nc', 'unknown'] as const
export type RestrictedLicense = (typeof restrictedLicenses)[number]

/** Classifies a licence as sources write it (`CC BY-SA 4.0`, `Public Domain`, `own`). */
export function classifyLicense(license: string): LicenseClass {
  const name = license
    .toLowerCase()
    .replace(/creative commons|attribution/g, (words) => (words === 'attribution' ? 'by' : 'cc'))
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  if (name === 'own') return 'own'
  if (/^(public-domain|pd|cc0|cc-0|cc-zero)(-.*)?$/.test(name)) return 'open'
  if (/^cc-by(-sa)?(-[0-9][0-9-]*)?$/.test(name)) return 'open'
  if (/^cc-by-nc/.test(name)) return 'cc-by-nc'
  return 'unknown'
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
