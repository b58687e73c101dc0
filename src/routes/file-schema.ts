import { z } from 'zod'
import { bounds } from '../http/limits/bounds.ts'
import { count, deletedOf, instant, type JsonSchema, listOf } from '../http/openapi/docs.ts'
import { purposes } from '../http/transfers/upload.ts'

export const fileSchema = z
  .object({
    id: z.string(),
    object: z.literal('file'),
    bytes: count,
    created_at: instant,
    filename: z.string(),
    purpose: z.string(),
    status: z.literal('processed'),
    project_id: z.string(),
    session_id: z.string().nullable().describe('Of the turn that made it; null for an upload'),
    run_id: z.string().nullable(),
    version: z.int().min(1).describe('Of the content that is shown, the newest'),
    sha256: z.string(),
    content_type: z.string(),
  })
  .meta({ id: 'StoredFile' })

const fileVersion = z
  .object({
    version: z.int().min(1),
    bytes: count,
    created_at: instant,
    run_id: z.string().nullable().describe('Of the turn that wrote it; null for an upload'),
    sha256: z.string(),
    content_type: z.string(),
  })
  .meta({ id: 'FileVersion' })

export const fileWithVersions = fileSchema
  .extend({ versions: z.array(fileVersion).describe('Newest first') })
  .meta({ id: 'FileWithVersions' })

export const fileList = listOf(fileSchema).meta({ id: 'StoredFileList' })

export const fileDeleted = deletedOf('file').meta({ id: 'FileDeleted' })

/** Bytes, as OpenAPI 3.1 describes them. */
const bytes: JsonSchema = { type: 'string', contentMediaType: 'application/octet-stream' }

export const uploadForm = {
  type: 'multipart/form-data',
  schema: {
    type: 'object',
    properties: {
      file: { ...bytes, description: 'One part with a file name' },
      purpose: { type: 'string', enum: purposes, default: 'user_data' },
      project_id: {
        type: 'string',
        maxLength: bounds.partField.max,
        description: 'The key’s own project unless named',
      },
    },
    required: ['file'],
  },
} as const

export const download = { type: '*/*', schema: bytes } as const
