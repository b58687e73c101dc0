import type { FastifyInstance } from 'fastify'
import { withTx } from '../../db/client.ts'
import { resourceOf } from '../../http/auth.ts'
import type { MessageReads } from '../../http/limits/message-reads.ts'
import { pageQuery } from '../../http/lists.ts'
import type { BodyOf } from '../../http/openapi/docs.ts'
import type { ZodTypes } from '../../http/openapi/zod.ts'
import type { Run } from '../../turns/run/run.ts'
import type { Services } from '../../turns/services.ts'
import { deleteRun, findMessage } from '../../turns/sessions/conversations.ts'
import { listInput } from '../../turns/sessions/sessions.ts'
import { namedResponse } from './context.ts'
import { deleteDocs, inputItemsDocs, type responseDeleted } from './docs.ts'
import { responseId } from './ids.ts'
import { listItems } from './output/items.ts'

/** `GET /v1/responses/{id}/input_items` and `DELETE /v1/responses/{id}` */
export function storedResponseRoutes(
  root: FastifyInstance,
  { database }: Services,
  reads: MessageReads,
): void {
  const app = root.withTypeProvider<ZodTypes>()

  app.get(
    '/responses/:id/input_items',
    {
      config: { scope: 'chat:write', resource: namedResponse, docs: inputItemsDocs },
      schema: { querystring: pageQuery },
    },
    (request, reply) => {
      const run = resourceOf<Run>(request)
      return reads.run(run.accountId, reply, () =>
        withTx(database, run, (tx) =>
          listItems(
            request.query,
            (item) => findMessage(tx, run.sessionId, item),
            (page) => listInput(tx, run, page),
          ),
        ),
      )
    },
  )

  app.delete(
    '/responses/:id',
    { config: { scope: 'sessions:write', resource: namedResponse, docs: deleteDocs } },
    async (request): Promise<BodyOf<typeof responseDeleted>> => {
      const run = resourceOf<Run>(request)
      await withTx(database, run, (tx) => deleteRun(tx, run))
      return { id: responseId(run), object: 'response', deleted: true }
    },
  )
}
