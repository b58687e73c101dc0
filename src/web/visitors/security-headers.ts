/**
 * What a page may load. A script runs only when its tag carries the nonce of this very reply, wherever it lies: a file
 * that somebody uploaded is on the same origin, and must not become a script of a page.
 * @param nonce of the reply's own script tags; without it no script runs.
 */
export function contentPolicy(nonce?: string): string {
  const scripts = nonce === undefined ? "'none'" : `'nonce-${nonce}'`
  return `default-src 'none'; script-src ${scripts}; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`
}

/**
 * On every reply of the pages. No script runs unless `sendPage` says so, styles come from this service's own files only,
 * nothing may frame a page, forms go nowhere else, and no page is kept in a cache (it may show what only its owner may
 * see).
 */
export const pageHeaders: Readonly<Record<string, string>> = Object.freeze({
  'content-security-policy': contentPolicy(),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  'cache-control': 'no-store',
})
