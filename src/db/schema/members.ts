import { sql } from 'drizzle-orm'
import { boolean, check, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { bytea, instant, ofAccount } from './columns.ts'

/** What a member of an account may do, from everything down to reading. */
export const memberRoles = ['owner', 'admin', 'member', 'viewer'] as const
export type MemberRole = (typeof memberRoles)[number]

/** People who act for an account of another person. The account's own person is its owner without a row. */
export const members = pgTable(
  'members',
  {
    accountId: ofAccount(),
    /** The own account of the person. */
    memberId: text('member_id').notNull(),
    role: text('role', { enum: memberRoles }).notNull(),
    addedAt: instant('added_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.memberId] }),
    index('members_member').on(t.memberId),
    check('members_other', sql`${t.accountId} <> ${t.memberId}`),
    check('members_role', sql`${t.role} in ('owner', 'admin', 'member', 'viewer')`),
  ],
)

/** Links that make a person a member, once. The link holds the token; this table stores only its SHA-256. */
export const invitations = pgTable(
  'invitations',
  {
    id: text('id').primaryKey(),
    accountId: ofAccount(),
    digest: bytea('digest').notNull().unique(),
    /** The only address that can accept it. Null: whoever has the link. */
    email: text('email'),
    role: text('role', { enum: memberRoles }).notNull(),
    /** Only the owner of the address has got the link. */
    mailed: boolean('mailed').notNull().default(false),
    invitedBy: text('invited_by').notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
    expiresAt: instant('expires_at').notNull(),
  },
  (t) => [
    index('invitations_account').on(t.accountId, t.createdAt),
    check('invitations_role', sql`${t.role} in ('owner', 'admin', 'member', 'viewer')`),
  ],
)
