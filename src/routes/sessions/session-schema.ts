import { z } from 'zod'
import { deletedOf, instant, listOf } from '../../http/openapi/docs.ts'
import { toolCall } from '../turn-reply/turn-schema.ts'

export const sessionSchema = z
  .object({
    id: z.string(),
    object: z.literal('agent.session'),
    model: z.string(),
    projectId: z.string(),
    name: z.string().describe('Empty until the first turn names it'),
    created_at: instant,
  })
  .meta({ id: 'Session' })

export const sessionList = listOf(sessionSchema).meta({ id: 'SessionList' })

export const sessionDeleted = deletedOf('agent.session').meta({ id: 'SessionDeleted' })

export const messageSchema = z
  .object({
    id: z.string(),
    object: z.literal('agent.message'),
    session_id: z.string(),
    run_id: z.string().describe('Empty for a message that was added without a turn'),
    role: z.enum(['system', 'user', 'assistant', 'tool']),
    content: z.string(),
    tool_call_id: z.string().optional().describe('In a message of role `tool`'),
    tool_calls: z.array(toolCall).optional(),
    created_at: instant,
  })
  .meta({ id: 'Message' })

export const messageList = listOf(messageSchema).meta({ id: 'MessageList' })
