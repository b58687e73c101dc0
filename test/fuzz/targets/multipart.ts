import { builtInPlans } from '../../../src/accounts/plans.ts'
import { errorTable } from '../../../src/errors.ts'
import { cleanFileName } from '../../../src/workspace/documents/file-names.ts'
import { send } from '../../support/http-raw.ts'
import { openWorld } from '../../support/world/world.ts'
import { require, type Target } from '../target.ts'

const boundary = 'B'
const part = (head: string, body: string) =>
  `--${boundary}\r\ncontent-disposition: form-data; ${head}\r\n\r\n${body}\r\n`
const file = part('name="file"; filename="a.txt"\r\ncontent-type: text/plain', 'text')
/** Stored files are removed after this many inputs, so that no quota fills up. */
const sweepEvery = 500

/** Uploads through the real route and its database. */
export async function openMultipart(): Promise<Target> {
  const plans = {
    names: builtInPlans.names,
    of: (name: string) => ({ ...builtInPlans.of(name), requestsPerMinute: 1e9 }),
  }
  const world = await openWorld({ postgres: 'private', model: 'built-in', plans, plan: 'unlimited' })
  const { service, key } = world
  let sent = 0
  return {
    name: 'multipart',
    covers: ['/src/http/', '/src/workspace/', '/busboy/', '/@fastify/multipart/'],
    most: 4 * 1024,
    seeds: [
      `${file}--${boundary}--\r\n`,
      `${part('name="purpose"', 'assistants')}${file}--${boundary}--\r\n`,
      `${file}${part('name="project_id"', 'proj_x')}--${boundary}--\r\n`,
      `${part(`name="file"; filename*=UTF-8''%D7%A9%D7%9C.md`, '# שלום')}--${boundary}--\r\n`,
      `preamble\r\n--${boundary}\r\nContent-Disposition: form-data; name=file; filename="a\\"b/../c.txt"\r\nContent-Transfer-Encoding: base64\r\n\r\nYQ==\r\n--${boundary}--`,
    ],
    dictionary: [
      ...[`--${boundary}`, `\r\n--${boundary}\r\n`, `--${boundary}--`, '\r\n\r\n', '; '],
      ...['content-disposition: form-data; ', 'content-type: ', 'content-transfer-encoding: binary\r\n'],
      ...`name=" filename=" filename*=utf-8''%00 text/html charset=utf-16 __proto__ project_id purpose`.split(
        ' ',
      ),
      ...'" \\ %zz ../'.split(' '),
    ],
    async check(input) {
      const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
      const reply = await send(service, { method: 'POST', path: '/v1/files', key, headers, body: input })
      const body = JSON.parse(reply.text)
      if (reply.status === 200)
        require(body.filename === cleanFileName(body.filename), 'a stored name is clean', body.filename)
      else {
        const { error } = body
        const told = errorTable[error.code as keyof typeof errorTable]
        require(told?.status === reply.status && told.status < 500, 'a refusal is the client’s fault', error)
      }
      sent += 1
      if (sent % sweepEvery === 0) await world.rows('delete from files')
    },
    close: () => world.close(),
  }
}
