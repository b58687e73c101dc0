import type { MultipartFile, MultipartValue } from '@fastify/multipart'
import type { FastifyRequest } from 'fastify'
import { accountSuspended, lockAccount } from '../../accounts/accounts.ts'
import { withTx } from '../../db/client.ts'
import { invalidValue, notFound, ServiceError, wrongField } from '../../errors.ts'
import type { Services } from '../../turns/services.ts'
import { defaultProjectId, lockProject } from '../../turns/sessions/projects.ts'
import { cleanFileName } from '../../workspace/documents/file-names.ts'
import type { StoredFile } from '../../workspace/files.ts'
import {
  dropUpload,
  type ReceivedUpload,
  receiveUpload,
  sealAsVersion,
  sealUpload,
} from '../../workspace/uploads.ts'
import { principalOf } from '../auth.ts'
import { atMost, bounds } from '../limits/bounds.ts'

/** Values of `purpose` that OpenAI's clients send; the service stores them and does not use them. */
export const purposes = ['assistants', 'batch', 'fine-tune', 'vision', 'user_data', 'evals'] as const

/** What a list of files can be limited to: also the purposes of files that OpenAI and the agent make. */
export const listedPurposes = [...purposes, 'assistants_output', 'batch_output', 'fine-tune-results'] as const

type Form = { readonly fields: ReadonlyMap<string, string>; readonly upload: ReceivedUpload | undefined }

/**
 * Receives `multipart/form-data` with the parts `file`, `purpose` and `project_id` in any order. Stores a
 * file only when all parts have arrived and are valid.
 * @param place.project project of the file, whatever the parts say.
 * @param place.versions whether a file whose name the project has becomes its new version. Default: another file.
 */
export async function receiveFile(
  services: Pick<Services, 'database' | 'objects'>,
  request: FastifyRequest,
  place: { readonly project?: string; readonly versions?: boolean } = {},
): Promise<StoredFile> {
  if (!request.isMultipart()) {
    throw new ServiceError(
      'unsupported_content_type',
      'Send the file as multipart/form-data, in a part named `file`.',
    )
  }
  // The boundary in this header becomes the parser's search pattern, which must be short.
  const type = request.headers['content-type'] ?? ''
  if (type.length > bounds.uploadType.max) throw wrongField('Content-Type', atMost(bounds.uploadType))
  const principal = principalOf(request)
  const { fields, upload } = await readForm(services, request)
  try {
    if (!upload) {
      throw new ServiceError('missing_required_parameter', '`file` is required: a part with a file name.', {
        param: 'file',
      })
    }
    const purpose = purposeOf(fields)
    const projectId = place.project ?? fields.get('project_id')
    return await withTx(services.database, principal, async (tx) => {
      // The key was checked before the upload, which can take hours.
      const { suspendedAt } = await lockAccount(tx, principal.accountId)
      if (suspendedAt) throw accountSuspended()
      if (projectId !== undefined && !(await lockProject(tx, principal, projectId)))
        throw notFound('project_id')
      const where = {
        accountId: principal.accountId,
        projectId: projectId ?? (await defaultProjectId(tx, principal)),
        sessionId: null,
        runId: null,
      }
      const seal = place.versions ? sealAsVersion : sealUpload
      return seal(tx, where, principal.plan, upload, purpose)
    })
  } catch (error) {
    if (upload) await dropUpload(services, principal, upload.versionId)
    throw error
  }
}

async function readForm(
  services: Pick<Services, 'database' | 'objects'>,
  request: FastifyRequest,
): Promise<Form> {
  const principal = principalOf(request)
  const { fileBytes } = principal.plan
  const fields = new Map<string, string>()
  let upload: ReceivedUpload | undefined
  try {
    // One byte above the maximum, so that a file that is too large is detected.
    const limits = { ...formLimits, fileSize: fileBytes + 1 }
    for await (const part of request.parts({ limits })) {
      if (part.fieldname.length > bounds.name.max)
        throw wrongField(part.fieldname.slice(0, 50), atMost(bounds.name))
      if (part.type === 'field') fields.set(part.fieldname, fieldText(part))
      else upload = await receivePart(services, request, part)
    }
    return { fields, upload }
  } catch (error) {
    discardRest(request)
    if (upload) await dropUpload(services, principal, upload.versionId)
    throw formError(error)
  }
}

const formLimits = {
  files: 1,
  fields: bounds.partFields.max,
  parts: bounds.partFields.max + 2,
  // One byte above the maximum; a character has up to four bytes.
  fieldSize: 4 * bounds.partField.max + 1,
}

function fieldText({ fieldname, value, valueTruncated }: MultipartValue): string {
  const text = String(value)
  if (valueTruncated || text.length > bounds.partField.max)
    throw wrongField(fieldname, atMost(bounds.partField))
  return text.replaceAll('\0', '\ufffd')
}

/** Reads and drops the rest of a refused form, so that the client gets to read the refusal. */
function discardRest({ raw }: FastifyRequest): void {
  raw.unpipe()
  raw.resume()
}

function receivePart(
  services: Pick<Services, 'database' | 'objects'>,
  request: FastifyRequest,
  part: MultipartFile,
): Promise<ReceivedUpload> {
  const principal = principalOf(request)
  return receiveUpload(services, principal, principal.plan, {
    name: cleanFileName(part.filename ?? ''),
    contentType: /^[\w.+-]+\/[\w.+-]+(; ?charset=[\w-]+)?$/i.test(part.mimetype)
      ? part.mimetype
      : 'application/octet-stream',
    content: part.file,
    announced: announcedBytes(request),
  })
}

/** Size of the body, which is slightly larger than its file. */
function announcedBytes({ headers }: FastifyRequest): number | undefined {
  const length = Number(headers['content-length'])
  return Number.isSafeInteger(length) ? length : undefined
}

function purposeOf(fields: ReadonlyMap<string, string>): string {
  const purpose = fields.get('purpose') ?? 'user_data'
  if ((purposes as readonly string[]).includes(purpose)) return purpose
  throw invalidValue(`\`purpose\` must be one of ${purposes.join(', ')}.`, 'purpose')
}

/** Converts errors of the multipart parser to the service's own. */
function formError(error: unknown): unknown {
  const code = (error as { code?: unknown }).code
  if (code === 'FST_FILES_LIMIT') {
    return invalidValue('The form has more than one file. Send one file per request.', 'file')
  }
  if (
    error instanceof Error &&
    /^(Unexpected end of|Part terminated|Malformed|premature close|Multipart: Boundary not found)/i.test(
      error.message,
    )
  ) {
    return invalidValue('The multipart body is incomplete or malformed. Check its boundary and its end.')
  }
  return error
}
