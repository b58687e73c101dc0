import type { Providers } from '../../accounts/providers/providers.ts'
import type { RateLimits } from '../../http/limits/rate-limits.ts'
import type { WorkLimit } from '../../http/limits/work-limits.ts'
import type { Mailer } from '../../mail/mailer.ts'
import type { ExportPlace } from '../../sources/collections/export-place.ts'
import type { Services } from '../../turns/services.ts'
import type { AddressLimits } from '../visitors/address-limits.ts'
import type { SignInLimits } from '../visitors/sign-in-limits.ts'

export type WebSettings = {
  /** Whether strangers may create accounts, and the plan of these accounts. */
  readonly signUp: 'open' | 'invited' | 'closed'
  readonly signUpPlan: string
  /** Domains whose addresses may create an account by the form. Default: all. */
  readonly signUpDomains?: readonly string[]
  /** OpenID Connect providers by which people sign in. */
  readonly providers?: Providers | undefined
  /** Days from the closing of an account by its owner to its deletion; absent or 0: it is deleted at once. */
  readonly deletionDays?: number
  /** Where collections come from. */
  readonly libraryExport: ExportPlace
  /** Undefined: no mail is sent. */
  readonly mailer?: Mailer | undefined
}

/** Services of the pages: those of the API's routes, and the settings of the pages. */
export type WebServices = Services & {
  readonly settings: WebSettings
  readonly signInLimits: SignInLimits
  readonly addressLimits: AddressLimits
  readonly rateLimits: RateLimits
  /** Of an account, and of an address without one. */
  readonly conversationLimit: WorkLimit
}
