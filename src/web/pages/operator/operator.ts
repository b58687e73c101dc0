import type { FastifyInstance } from 'fastify'
import type { WebServices } from '../services.ts'
import { operatorHealthPage } from './health/operator-health.ts'
import { operatorAccessPages } from './operator-access.ts'
import { operatorAccountPage } from './operator-account.ts'
import { operatorAccountPages } from './operator-accounts.ts'
import { operatorAuditPage } from './operator-audit.ts'
import { operatorCollectionPages } from './operator-collections.ts'
import { operatorLibraryPage } from './operator-library.ts'
import { operatorRunPage } from './operator-runs.ts'

/** `/operator`: pages for operators. For other accounts these pages do not exist. */
export function operatorPages(app: FastifyInstance, services: WebServices): void {
  operatorAccountPages(app, services)
  operatorAccountPage(app, services)
  operatorAccessPages(app, services)
  operatorAuditPage(app, services)
  operatorRunPage(app, services)
  operatorLibraryPage(app, services)
  operatorCollectionPages(app, services)
  operatorHealthPage(app, services)
}
