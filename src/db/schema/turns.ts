import { sql } from 'drizzle-orm'
import { check, index, integer, jsonb, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { projects } from './accounts.ts'
import { belongsTo, bytea, byteCount, instant, micros, ofAccount } from './columns.ts'

/**
 * The tables of a turn have few foreign keys: a session to its account and its project, a run and a message to their
 * session. Each further key would cost a lookup per row. The log is written under its
 * run's lock and deleted with it by a trigger.
 */
export const sessions = pgTable(
  'sessions',
  {
    id: text('id').primaryKey(),
    accountId: ofAccount(),
    projectId: belongsTo('project_id', () => projects.id),
    model: text('model').notNull(),
    name: text('name').notNull(),
    /** Number of the newest turn. A start takes the next number under this row's lock. */
    turnCount: integer('turn_count').notNull().default(0),
    /** Unfinished runs. The session uses one of its account's concurrency slots while there are any. */
    openRuns: integer('open_runs').notNull().default(0),
    /** What a client noted about it. Null: it was not created as a conversation. */
    metadata: jsonb('metadata').$type<Readonly<Record<string, string>>>(),
    /** Bytes of the messages that were added without a turn. */
    addedBytes: byteCount('added_bytes').notNull().default(0),
    createdAt: instant('created_at').notNull().defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (t) => [
    index('sessions_project').on(t.projectId, t.createdAt, t.id),
    index('sessions_added').on(t.accountId).where(sql`${t.addedBytes} > 0`),
  ],
)

export const runStatuses = ['queued', 'in_progress', 'completed', 'failed', 'cancelled'] as const

export const runs = pgTable(
  'runs',
  {
    id: text('id').primaryKey(),
    accountId: ofAccount(),
    projectId: text('project_id').notNull(),
    sessionId: belongsTo('session_id', () => sessions.id),
    /** The API key that started the run. Null for a turn from the web pages. */
    apiKeyId: text('api_key_id'),
    /** The person that asked, or that made the key. Null: nobody knows. */
    memberId: text('member_id'),
    /** Id of the assistant message that this run writes. */
    messageId: text('message_id').notNull(),
    /** Number of the turn in its session, from 1. */
    turn: integer('turn').notNull(),
    model: text('model').notNull(),
    status: text('status', { enum: runStatuses }).notNull(),
    /** What the client requested: sampling, client tools, delivery options. Never a secret. */
    request: jsonb('request').notNull(),
    /** SHA-256 over route, session channel, user and body. Equal requests have equal hashes. */
    requestHash: bytea('request_hash'),
    /** Hash of the project's instructions that the turn follows. Null: it follows none. */
    projectInstructions: text('project_instructions'),
    /** The last event of the run with the whole reply (`TerminalEvent`), from which every API and page encodes. Null: it has not ended. */
    reply: jsonb('reply'),
    /** The reason in the reply, for queries: null if the run has not completed. */
    finishReason: text('finish_reason'),
    costMicros: micros('cost_micros').notNull().default(sql`0`),
    /** The current hold in micro-credits: the maximum charge. */
    holdMicros: micros('hold_micros').notNull(),
    /** The part of the hold that came from the account's allowance. A charge takes it first. */
    heldAllowanceMicros: micros('held_allowance_micros').notNull(),
    /** Maximum of the hold, in micro-credits. */
    maxMicros: micros('most_micros').notNull(),
    /** Number of finished steps and of committed events. The next ones get these numbers plus one. */
    stepCount: integer('step_count').notNull().default(0),
    eventCount: integer('event_count').notNull().default(0),
    /** Fencing token. Every claim adds one, and every write of an owner names its own epoch. */
    epoch: integer('epoch').notNull().default(0),
    leaseOwner: text('lease_owner'),
    leaseExpiresAt: instant('lease_expires_at'),
    /** When the whole turn must have ended, by the database's clock. */
    deadlineAt: instant('deadline_at').notNull(),
    onDisconnect: text('on_disconnect', { enum: ['continue', 'cancel'] })
      .notNull()
      .default('continue'),
    cancelRequestedAt: instant('cancel_requested_at'),
    /**
     * The replica that holds the connection of the run's client. Null while that replica is not visible to
     * others, and for runs of older versions.
     */
    clientAt: text('client_at'),
    /**
     * When the run's client was seen to disconnect before its reply was complete. A retry that finds the run
     * clears it.
     */
    clientClosedAt: instant('client_closed_at'),
    /** Why the request was admitted, and what was known then (`AdmissionFacts`). */
    admission: jsonb('admission'),
    createdAt: instant('created_at').notNull().defaultNow(),
    startedAt: instant('started_at'),
    finishedAt: instant('finished_at'),
  },
  (t) => [
    uniqueIndex('runs_session_turn').on(t.sessionId, t.turn),
    index('runs_account_created').on(t.accountId, t.createdAt),
    // No index contains the lease, so a renewal, every five seconds for each run, updates no index.
    index('runs_unfinished_since').on(t.createdAt, t.id).where(sql`${t.status} in ('queued', 'in_progress')`),
    index('runs_account_open').on(t.accountId).where(sql`${t.status} in ('queued', 'in_progress')`),
    index('runs_account_queued').on(t.accountId).where(sql`${t.status} = 'queued'`),
    // Runs of the same request.
    index('runs_same_request')
      .on(t.apiKeyId, t.requestHash, t.createdAt)
      .where(sql`${t.requestHash} is not null`),
    // This index is nearly always empty.
    index('runs_client_closed')
      .on(t.apiKeyId, t.requestHash, t.createdAt)
      .where(sql`${t.clientClosedAt} is not null`),
    // Runs of responses with `store: false`, until their content is removed. No write of a turn changes its columns.
    index('runs_to_empty').on(t.sessionId).where(sql`${t.request} #>> '{response,store}' = 'false'`),
    check('runs_cost', sql`${t.costMicros} <= ${t.holdMicros}`),
    check('runs_status', sql`${t.status} in ('queued', 'in_progress', 'completed', 'failed', 'cancelled')`),
  ],
)

/**
 * Processes that hold client connections. A replica is alive while its advisory lock is held (see `presence`);
 * these rows add what the lock cannot show.
 */
export const replicas = pgTable('replicas', {
  id: text('id').primaryKey(),
  /** Its newest heartbeat; there is one per second. */
  seenAt: instant('seen_at').notNull(),
  /** Equal to `seenAt` if the heartbeat was sent without the lock, otherwise null. */
  unlockedAt: instant('unlocked_at'),
})

export const messages = pgTable(
  'messages',
  {
    id: text('id').primaryKey(),
    accountId: ofAccount(),
    sessionId: belongsTo('session_id', () => sessions.id),
    /** Empty: the message was added without a turn. */
    runId: text('run_id').notNull(),
    turn: integer('turn').notNull(),
    /** Order within the turn: the input, the answer, and messages that were added after the turn. */
    position: integer('position').notNull(),
    role: text('role').notNull(),
    content: jsonb('content').notNull(),
    /**
     * SHA-256 of the conversation up to this message, as the client sent it. Only the last message of an input has
     * it, and only if the client sent the whole conversation.
     */
    transcript: bytea('transcript'),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (t) => [
    uniqueIndex('messages_order').on(t.sessionId, t.turn, t.position),
    index('messages_transcript').on(t.transcript, t.createdAt).where(sql`${t.transcript} is not null`),
  ],
)

/**
 * What a run has done: one row per write, with events and finished steps. Any replica can continue a run from it. Rows are
 * only added; a day after the end of the run its events are removed, and its steps stay.
 */
export const runLog = pgTable(
  'run_log',
  {
    runId: text('run_id').notNull(),
    /** Numbers of the run's newest event and newest step after this write. Both count from 1 without gaps. */
    seq: integer('seq').notNull(),
    step: integer('step').notNull(),
    accountId: ofAccount(),
    /** The owner's epoch. Events of an abandoned attempt at a step are void. */
    epoch: integer('epoch').notNull(),
    /** How many events and how many steps the entries are, and what these steps cost together. */
    events: integer('events').notNull(),
    steps: integer('steps').notNull(),
    costMicros: micros('cost_micros').notNull(),
    /** The events and then the steps, each in order (`LogEntry`). */
    entries: jsonb('entries').notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ columns: [t.runId, t.seq, t.step] }),
    index('run_log_with_events').on(t.createdAt).where(sql`${t.events} > 0`),
    check('run_log_entries', sql`jsonb_array_length(${t.entries}) = ${t.events} + ${t.steps}`),
  ],
)

export const idempotencyKeys = pgTable(
  'idempotency_keys',
  {
    accountId: ofAccount(),
    apiKeyId: text('api_key_id').notNull(),
    key: text('key').notNull(),
    requestHash: bytea('request_hash').notNull(),
    runId: belongsTo('run_id', () => runs.id),
    createdAt: instant('created_at').notNull().defaultNow(),
    expiresAt: instant('expires_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.apiKeyId, t.key] }),
    index('idempotency_keys_expiry').on(t.expiresAt),
    // Deleting a run, with its session or project, deletes its keys.
    index('idempotency_keys_run').on(t.runId),
  ],
)
