import { bigint, index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { bytea, instant, ofAccount } from './columns.ts'

/** A session of the web pages. The cookie holds the token; this table stores only its SHA-256. */
export const webSessions = pgTable(
  'web_sessions',
  {
    digest: bytea('digest').primaryKey(),
    accountId: ofAccount(),
    /** The account that the person acts for as its member. Null: the own account. */
    actingFor: text('acting_for'),
    /** The beginning of the browser's `User-Agent`; empty if it sent none. */
    agent: text('agent').notNull().default(''),
    createdAt: instant('created_at').notNull().defaultNow(),
    seenAt: instant('seen_at').notNull().defaultNow(),
  },
  (t) => [index('web_sessions_account').on(t.accountId), index('web_sessions_created').on(t.createdAt)],
)

/**
 * A sign-in that has begun: the password was right and the second factor is missing, or the person is at an OpenID
 * Connect provider. The cookie holds the token; this table stores only its SHA-256.
 */
export const signInSteps = pgTable(
  'sign_in_steps',
  {
    digest: bytea('digest').primaryKey(),
    /** Empty: the provider will say who it is. */
    accountId: ofAccount(),
    /** What the sign-in needs to go on; no secret. */
    data: jsonb('data').notNull().default({}),
    /** Wrong codes so far. */
    tries: integer('tries').notNull().default(0),
    expiresAt: instant('expires_at').notNull(),
  },
  (t) => [index('sign_in_steps_account').on(t.accountId), index('sign_in_steps_expires').on(t.expiresAt)],
)

/** The authenticator app of an account (TOTP, RFC 6238). */
export const totpSecrets = pgTable('totp_secrets', {
  accountId: ofAccount().primaryKey(),
  /** The shared secret, encrypted with a key from `KEY_PEPPER`. */
  sealed: bytea('sealed').notNull(),
  /** Null: set up, but no code has been entered yet. */
  confirmedAt: instant('confirmed_at'),
  /** The period (of 30 s since 1970) of the last code that was used. That code and earlier ones are refused. */
  lastPeriod: bigint('last_period', { mode: 'number' }).notNull().default(0),
  createdAt: instant('created_at').notNull().defaultNow(),
})

/** Passkeys of an account (WebAuthn), as its second factor. */
export const passkeys = pgTable(
  'passkeys',
  {
    /** The credential id, as base64url. */
    id: text('id').primaryKey(),
    accountId: ofAccount(),
    name: text('name').notNull(),
    publicKey: bytea('public_key').notNull(),
    /** The authenticator's counter of signatures; 0 if it has none. */
    counter: bigint('counter', { mode: 'number' }).notNull(),
    transports: text('transports').array().notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
    usedAt: instant('used_at'),
  },
  (t) => [index('passkeys_account').on(t.accountId, t.createdAt)],
)

/** Recovery codes that were not used. A code has 80 random bits; this table stores only its SHA-256. */
export const recoveryCodes = pgTable(
  'recovery_codes',
  { accountId: ofAccount(), digest: bytea('digest').notNull() },
  (t) => [primaryKey({ columns: [t.accountId, t.digest] })],
)

/** Who signs in to an account by an OpenID Connect provider: the issuer and its name for the person. */
export const identities = pgTable(
  'identities',
  {
    issuer: text('issuer').notNull(),
    subject: text('subject').notNull(),
    accountId: ofAccount(),
    createdAt: instant('created_at').notNull().defaultNow(),
    usedAt: instant('used_at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.issuer, t.subject] }), index('identities_account').on(t.accountId)],
)

/** The only password reset link of an account. The link holds the token; this table stores only its SHA-256. */
export const passwordResets = pgTable('password_resets', {
  accountId: ofAccount().primaryKey(),
  digest: bytea('digest').notNull().unique(),
  createdAt: instant('created_at').notNull().defaultNow(),
  expiresAt: instant('expires_at').notNull(),
})

/**
 * A mailed link that confirms an address: of an account to be created, or the new one of an account. The link holds the
 * token; this table stores only its SHA-256.
 */
export const mailedLinks = pgTable(
  'mailed_links',
  {
    digest: bytea('digest').primaryKey(),
    /** Empty: the account is created by the link. */
    accountId: ofAccount(),
    email: text('email').notNull(),
    /** argon2id hash of the password of the account to be created. Otherwise empty. */
    passwordHash: text('password_hash').notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
    expiresAt: instant('expires_at').notNull(),
  },
  (t) => [index('mailed_links_account').on(t.accountId)],
)
