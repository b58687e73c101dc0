import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../errors.ts'
import type { CatalogueModel } from '../turns/catalogue.ts'
import type { Services } from './services.ts'

/** `GET /v1/models`, `GET /v1/models/{model}` */
export function modelRoutes(app: FastifyInstance, services: Services): void {
  app.get('/models', { config: { scope: 'models:read' } }, async () => ({
    object: 'list',
    data: services.catalogue.models.map(modelBody),
  }))

  app.get<{ Params: { model: string } }>(
    '/models/:model',
    { config: { scope: 'models:read' } },
    async (request) => {
      const model = services.catalogue.find(request.params.model)
      if (!model) {
        const known = services.catalogue.models.map((m) => m.id).join(', ')
        throw new ServiceError('model_not_found', `There is no such model. Models: ${known}.`, {
          param: 'model',
        })
      }
      return modelBody(model)
    },
  )
}

function modelBody(model: CatalogueModel) {
  return { id: model.id, object: 'model' as const, created: model.created, owned_by: 'service' }
}
