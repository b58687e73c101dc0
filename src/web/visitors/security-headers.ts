/**
 * Content security policy of a page. A script runs only with the nonce of this reply: uploaded files share
 * this origin and must not run as scripts of a page.
 * @param nonce nonce of the reply's tags for scripts and styles; without it no script runs.
 */
export function contentPolicy(nonce?: string): string {
  const scripts = nonce === undefined ? "'none'" : `'nonce-${nonce}'`
  const styles = nonce === undefined ? '' : ` 'nonce-${nonce}'`
  return [
    "default-src 'none'",
    `script-src ${scripts}`,
    `style-src 'self'${styles}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/**
 * On every reply of the pages. No script runs unless `sendPage` allows it, styles come only from this service's own
 * files, nothing may frame a page, forms go nowhere else, and no page is kept in a cache: it may show private data.
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
