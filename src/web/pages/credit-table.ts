import { type AccountCredits, availableIn } from '../../billing/account-credits.ts'
import { dataTable } from '../components/data-table.ts'
import { type Html, html, nothing } from '../components/html.ts'
import type { Texts } from '../texts/catalogue.ts'

/**
 * Table of the kinds of credit that an account has, the one that is spent first above. Nothing if it has none.
 * @param renewsAt when the allowance expires.
 * @param amount how the page shows an amount in micro-credits.
 */
export function creditTable(
  t: Texts,
  credits: AccountCredits,
  renewsAt: Date,
  amount: (t: Texts, micros: bigint) => unknown,
): Html {
  if (availableIn(credits) === 0n) return nothing
  const { usage } = t
  const kinds = [
    { name: usage.allowance, micros: credits.allowanceMicros, expiresAt: renewsAt },
    { name: usage.granted, micros: credits.grantedMicros, expiresAt: null },
  ]
  const table = dataTable({
    label: usage.creditsByKind,
    rows: kinds.filter(({ micros }) => micros > 0n),
    columns: [
      { name: usage.kind, kind: 'title', cell: ({ name }) => name },
      { name: usage.left, kind: 'number', cell: ({ micros }) => amount(t, micros) },
      { name: usage.until, cell: ({ expiresAt }) => (expiresAt ? t.day(expiresAt) : usage.noExpiry) },
    ],
  })
  return html`${table}<p class="faint">${usage.allowanceFirst}</p>`
}
