import { sql } from 'drizzle-orm'
import { check, index, integer, pgTable, smallint, text } from 'drizzle-orm/pg-core'
import { belongsTo, bytea, instant, ofAccount } from './columns.ts'
import { runs, sessions } from './turns.ts'

/**
 * A session that continues another one from before one of its turns, with another question there. The earlier turns
 * stay in their session.
 */
export const sessionBranches = pgTable(
  'session_branches',
  {
    sessionId: belongsTo('session_id', () => sessions.id).primaryKey(),
    accountId: ofAccount(),
    /** The session that it continues. That session may have been deleted. */
    parentId: text('parent_id').notNull(),
    /** The turn of the parent that the branch replaces. */
    parentTurn: integer('parent_turn').notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (t) => [index('session_branches_parent').on(t.parentId, t.parentTurn)],
)

/** A public link to a conversation. Deleting the row revokes the link. */
export const sharedSessions = pgTable('shared_sessions', {
  sessionId: belongsTo('session_id', () => sessions.id).primaryKey(),
  accountId: ofAccount(),
  /** See `accounts/public-links`. */
  tokenDigest: bytea('token_digest').notNull().unique(),
  tokenSeed: bytea('token_seed'),
  /** The last turn that the link shows. */
  lastTurn: integer('last_turn').notNull(),
  /** The name of the session when it was shared. */
  name: text('name').notNull(),
  createdAt: instant('created_at').notNull().defaultNow(),
})

/** What a reader thinks of an answer. */
export const answerFeedback = pgTable(
  'answer_feedback',
  {
    runId: belongsTo('run_id', () => runs.id).primaryKey(),
    accountId: ofAccount(),
    /** 1: good; -1: bad. */
    rating: smallint('rating').notNull(),
    note: text('note').notNull().default(''),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (t) => [
    index('answer_feedback_created').on(t.createdAt, t.runId),
    check('answer_feedback_rating', sql`${t.rating} in (-1, 1)`),
  ],
)
