import type { RateLimits } from '../../http/limits/rate-limits.ts'
import type { Services } from '../../turns/services.ts'
import type { AddressLimits } from '../visitors/address-limits.ts'
import type { SignInLimits } from '../visitors/sign-in-limits.ts'

export type WebSettings = {
  /** Whether anybody may make an account, and its plan. */
  readonly signUp: 'open' | 'closed'
  readonly signUpPlan: string
}

/** What pages are given: what the API's routes have, and the settings of the pages. */
export type WebServices = Services & {
  readonly settings: WebSettings
  readonly signInLimits: SignInLimits
  readonly addressLimits: AddressLimits
  readonly rateLimits: RateLimits
}
