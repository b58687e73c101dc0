import { z } from 'zod'
import { atMost, boundedList, bounds } from '../../../http/limits/bounds.ts'
import { deletedOf, instant } from '../../../http/openapi/docs.ts'

/** The pairs that a client notes about a conversation. OpenAI has the same limits. */
const metadata = z
  .record(
    z.string().max(bounds.pairName.max, atMost(bounds.pairName)),
    z.string().max(bounds.pairText.max, atMost(bounds.pairText)),
  )
  .refine((pairs) => Object.keys(pairs).length <= bounds.pairs.max, atMost(bounds.pairs))
  .meta({ maxProperties: bounds.pairs.max })

/** `readItems` checks the items, because its errors say more than those of a union. */
const items = boundedList(z.unknown(), bounds.addedItems)

export const createBody = z.looseObject({ items: items.nullish(), metadata: metadata.nullish() })

export const updateBody = z.looseObject({ metadata: metadata.nullable() })

export const addBody = z.looseObject({ items: items.min(1, 'must not be empty') })

export const conversationSchema = z
  .object({
    id: z.string(),
    object: z.literal('conversation'),
    created_at: instant,
    metadata: z.record(z.string(), z.string()),
    x_service: z.object({ session_id: z.string(), project_id: z.string() }),
  })
  .meta({ id: 'Conversation' })

export const conversationDeleted = deletedOf('conversation.deleted').meta({ id: 'ConversationDeleted' })
