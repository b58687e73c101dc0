import { sql } from 'drizzle-orm'
import {
  bigserial,
  boolean,
  check,
  date,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import { belongsTo, bytea, instant, micros, ofAccount } from './columns.ts'

export const accounts = pgTable(
  'accounts',
  {
    id: text('id').primaryKey(),
    /** Always in lower case. */
    email: text('email').notNull(),
    plan: text('plan').notNull(),
    operator: boolean('operator').notNull().default(false),
    /** argon2id hash, encoded with its parameters. */
    passwordHash: text('password_hash').notNull(),
    /**
     * Null: not suspended. A trigger refuses runs of a suspended account, whatever the calling code has
     * checked.
     */
    suspendedAt: instant('suspended_at'),
    /** When the data of an account that its owner has closed is deleted. Such an account is suspended too. */
    deletionDueAt: instant('deletion_due_at'),
    /** Null: no legal hold. Otherwise a trigger refuses to delete projects, conversations, files and sheets. */
    legalHoldAt: instant('legal_hold_at'),
    legalHoldReason: text('legal_hold_reason').notNull().default(''),
    /** Language of the mails to its owner: that of the pages at the last sign-in. */
    language: text('language', { enum: ['en', 'he'] })
      .notNull()
      .default('en'),
    createdAt: instant('created_at').notNull().defaultNow(),
    /**
     * The live state of the account's turns. Statements that change it lock this row first, so its values are exact over
     * all replicas. Together with the holds of unfinished runs, both amounts are the sums of the ledger.
     */
    /** First day of the month (UTC) of the allowance. Null: none was given. */
    allowanceMonth: date('allowance_month'),
    /** What is left of the allowance. It is spent first, and expires when the next one is given. */
    allowanceMicros: micros('allowance_micros').notNull().default(sql`0`),
    /** What is left of granted credits, which do not expire. */
    grantedMicros: micros('granted_micros').notNull().default(sql`0`),
    /** Holds of unfinished runs. */
    heldMicros: micros('held_micros').notNull().default(sql`0`),
    /** Used concurrency slots: sessions with an unfinished run. */
    openTurns: integer('open_turns').notNull().default(0),
    /** Theoretical arrival time of the next start (GCRA): the rate limit in one value. */
    nextStartAt: instant('next_start_at').notNull().defaultNow(),
  },
  (t) => [
    uniqueIndex('accounts_email').on(t.email),
    // Nearly always empty, and no write of a turn changes their columns.
    index('accounts_deletion_due').on(t.deletionDueAt).where(sql`${t.deletionDueAt} is not null`),
    index('accounts_legal_hold').on(t.id).where(sql`${t.legalHoldAt} is not null`),
    check('accounts_email_lower', sql`${t.email} = lower(${t.email})`),
    check(
      'accounts_state',
      sql`${t.allowanceMicros} >= 0 and ${t.grantedMicros} >= 0 and ${t.heldMicros} >= 0 and ${t.openTurns} >= 0`,
    ),
  ],
)

/**
 * What a key can see. `project`: one project. `dedicated`: its own project, created on first use. `owner`:
 * every project of the account.
 */
export const keyBindings = ['project', 'dedicated', 'owner'] as const

export const apiKeys = pgTable(
  'api_keys',
  {
    id: text('id').primaryKey(),
    accountId: ofAccount(),
    name: text('name').notNull(),
    /** The first characters and the last four of the key, which may be shown. */
    prefix: text('prefix').notNull(),
    lastFour: text('last_four').notNull(),
    /** HMAC-SHA-256 of the key text, with the pepper of the given version. The text is never stored. */
    digest: bytea('digest').notNull(),
    pepperVersion: integer('pepper_version').notNull(),
    scopes: text('scopes').array().notNull(),
    binding: text('binding', { enum: keyBindings }).notNull(),
    /** The bound project. For `dedicated` and `owner`, the project that the first use creates. */
    projectId: text('project_id').references(() => projects.id, { onDelete: 'set null' }),
    /** Spending caps in micro-credits: per day and calendar month (UTC), and for the life of the key. Null: none. */
    dayCapMicros: micros('day_cap_micros'),
    monthCapMicros: micros('month_cap_micros'),
    totalCapMicros: micros('total_cap_micros'),
    /** Limits of the key beside those of the plan. Null: only the plan's. */
    requestsPerMinute: integer('requests_per_minute'),
    concurrentTurns: integer('concurrent_turns'),
    /** Ranges of addresses from which the key may be used. Null: any. */
    allowedAddresses: text('allowed_addresses').array(),
    /** What a request of the key means where it does not say it (`KeyDefaults`). */
    defaults: jsonb('defaults').notNull().default({}),
    /** The member that made it. Null: the command line, or a version that knew no members. */
    createdBy: text('created_by'),
    createdAt: instant('created_at').notNull().defaultNow(),
    lastUsedAt: instant('last_used_at'),
    expiresAt: instant('expires_at'),
    revokedAt: instant('revoked_at'),
  },
  (t) => [
    uniqueIndex('api_keys_digest').on(t.digest),
    index('api_keys_account').on(t.accountId, t.createdAt),
    check('api_keys_binding', sql`${t.binding} in ('project', 'dedicated', 'owner')`),
  ],
)

/**
 * Charges of an API key by day (UTC), in micro-credits. Whoever writes a charge adds it here. It has no foreign key to the
 * key, because the ledger outlives keys.
 */
export const keySpending = pgTable(
  'key_spending',
  {
    keyId: text('key_id').notNull(),
    accountId: ofAccount(),
    day: date('day').notNull(),
    micros: micros('micros').notNull(),
  },
  (t) => [primaryKey({ columns: [t.keyId, t.day] })],
)

/** Detects a wrong `KEY_PEPPER` at the start: an HMAC of a fixed text with the secret of each version in use. */
export const keyPeppers = pgTable('key_peppers', {
  version: integer('version').primaryKey(),
  check: bytea('check').notNull(),
  createdAt: instant('created_at').notNull().defaultNow(),
})

/** Notices that were mailed to the owner of an account. Each is mailed once. */
export const sentNotices = pgTable(
  'sent_notices',
  {
    accountId: ofAccount(),
    kind: text('kind').notNull(),
    /** What it is about: the id of a key, or a month. */
    about: text('about').notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.accountId, t.kind, t.about] })],
)

/** Requests of the management API with an `Idempotency-Key`, with their replies but for secrets. */
export const managementRequests = pgTable(
  'management_requests',
  {
    accountId: ofAccount(),
    key: text('key').notNull(),
    /** SHA-256 of method, path and body. */
    requestHash: bytea('request_hash').notNull(),
    reply: jsonb('reply').notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.key] }),
    index('management_requests_created').on(t.createdAt),
  ],
)

/** Actions on accounts by operators and owners. Rows are immutable, name no person and hold no secret. */
export const auditLog = pgTable(
  'audit_log',
  {
    id: bigserial('id', { mode: 'bigint' }).primaryKey(),
    createdAt: instant('created_at').notNull().defaultNow(),
    /** Id of the acting account, or `command line`. */
    actor: text('actor').notNull(),
    action: text('action').notNull(),
    /** The account that the action changed; empty for the library. No foreign key, because the entry outlives the account. */
    accountId: ofAccount(),
    details: jsonb('details').notNull().default({}),
  },
  (t) => [index('audit_log_account').on(t.accountId, t.id)],
)

export const projects = pgTable(
  'projects',
  {
    id: text('id').primaryKey(),
    accountId: ofAccount(),
    name: text('name').notNull(),
    /** Hash of its instructions, whose text is in `project_instructions`. Null: it has none. */
    instructionsHash: text('instructions_hash'),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (t) => [index('projects_account').on(t.accountId, t.createdAt, t.id)],
)

/** Every text that the instructions of a project ever had. Runs name the one that they used by its hash. */
export const projectInstructions = pgTable(
  'project_instructions',
  {
    projectId: belongsTo('project_id', () => projects.id),
    accountId: ofAccount(),
    /** SHA-256 of the text, in hexadecimal. */
    hash: text('hash').notNull(),
    text: text('text').notNull(),
    /** Estimated tokens of the text. The hold of a turn counts them. */
    tokens: integer('tokens').notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.projectId, t.hash] })],
)

/** Every prompt that the service itself gave to models: ours, and the host's instructions. Runs name them by hash. */
export const promptTexts = pgTable('prompt_texts', {
  /** SHA-256 of the text, in hexadecimal. */
  hash: text('hash').primaryKey(),
  text: text('text').notNull(),
  createdAt: instant('created_at').notNull().defaultNow(),
})
