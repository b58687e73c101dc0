import { invalidValue, type ServiceError } from '../../errors.ts'
import { bounds } from '../../http/limits/bounds.ts'
import { newId } from '../../ids.ts'
import type { Attachments, InlineFile } from '../../turns/sessions/attachments.ts'
import { cleanFileName, contentTypeOf } from '../../workspace/documents/file-names.ts'
import type { ChatMessage } from './chat-body.ts'

type Part = Exclude<NonNullable<ChatMessage['content']>, string>[number]
export type FilePart = Extract<Part, { type: 'file' }>

/**
 * The files inside the messages, and the stored file id of each part.
 * @throws ServiceError `invalid_value` for too many files, and for data that does not match its declared
 * type.
 */
export function readAttachments(
  messages: readonly ChatMessage[],
  readsImages: boolean,
  field: 'messages' | 'input' | 'items',
): { readonly attachments: Attachments; readonly idOf: (part: FilePart) => string } {
  const parts = messages.flatMap((message, i) => filePartsOf(message, `${field}[${i}]`, field))
  if (parts.length > bounds.attachedFiles.max) {
    throw invalid(`At most ${bounds.attachedFiles.max} files can be attached to a request.`, field)
  }
  const ids = new Map<FilePart, string>()
  const params = new Map<string, string>()
  const inline = new Map<string, InlineFile>()
  for (const { part, param } of parts) {
    const id = part.file.file_id ?? newId('file')
    ids.set(part, id)
    params.set(id, param)
    if (!part.file.file_id) inline.set(id, inlineFile(part, id, param))
  }
  const named = new Set([...ids.values()].filter((id) => !inline.has(id)))
  return {
    attachments: { ids: named, inline, readsImages, param: field, paramOf: (id) => params.get(id) ?? field },
    idOf: (part) => ids.get(part) ?? '',
  }
}

type PlacedPart = { readonly part: FilePart; readonly param: string }

/** The items of `input` become other messages, so only parts of `messages` have places that the client knows. */
function filePartsOf(
  { role, content }: ChatMessage,
  place: string,
  field: 'messages' | 'input' | 'items',
): readonly PlacedPart[] {
  if (role !== 'user' || !Array.isArray(content)) return []
  return content.flatMap((part, i) => {
    if (part.type !== 'file') return []
    return [{ part, param: field === 'messages' ? `${place}.content[${i}].file` : field }]
  })
}

const dataUrl = /^data:([a-z0-9.+-]+\/[a-z0-9.+-]+)?(?:;[a-z0-9-]+=[^;,]*)*;base64,/i

function inlineFile({ file }: FilePart, id: string, param: string): InlineFile {
  const data = file.file_data ?? ''
  const [head = '', type] = dataUrl.exec(data.slice(0, 300)) ?? []
  const content = fromBase64(data.slice(head.length))
  if (!content) {
    throw invalid(
      '`file_data` must be base64, or a data URL with base64 (`data:application/pdf;base64,…`).',
      param,
    )
  }
  const name = cleanFileName(file.filename ?? '', param)
  return { id, name, contentType: type ?? contentTypeOf(name), content }
}

/**
 * Undefined for invalid base64: the decoder skips wrong characters, so the result is shorter than the text
 * implies.
 */
function fromBase64(text: string): Buffer | undefined {
  if (text.length % 4 !== 0 || text.includes('-') || text.includes('_')) return undefined
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const content = Buffer.from(text, 'base64')
  return content.length === (text.length / 4) * 3 - padding ? content : undefined
}

function invalid(message: string, param: string): ServiceError {
  return invalidValue(message, param)
}
