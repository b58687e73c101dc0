/** What a licence lets the library do; anything not recognised is `unknown`. */
export type LicenseClass = 'open' | 'own' | 'cc-by-nc' | 'unknown'

export type RestrictedLicense = 'cc-by-nc' | 'unknown'

/** Sorts a licence as sources write it (`CC BY-SA 4.0`, `Public Domain`, `own`). */
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

/** Why an import leaves a text of this licence out, and the option that takes it in. */
export function refusalOf(license: string): string {
  const kind = classifyLicense(license)
  return `licence "${license}" is not allowed: add --allow-license ${kind === 'cc-by-nc' ? kind : 'unknown'}`
}

/** Whether an import may take a text of this licence, given the classes its operator allowed. */
export function mayImport(license: string, allowed: readonly RestrictedLicense[]): boolean {
  const kind = classifyLicense(license)
  return kind === 'open' || kind === 'own' || allowed.includes(kind)
}
