import type { AskingServices } from '../../evaluation/turns/ask-question.ts'
import { openMcpServers } from '../../mcp-servers/mcp-servers.ts'
import { readServersFile, requirePlans } from '../../mcp-servers/servers-file.ts'
import { openEmbeddingModel } from '../../models/embedding.ts'
import { openCatalogue } from '../../models/model-catalogue.ts'
import { openFallback } from '../../sources/fallback/fallback.ts'
import { ensureStarterLibrary } from '../../sources/importers/starter.ts'
import { openSemanticSearch } from '../../sources/search/semantic/semantic-search.ts'
import { createRunner } from '../../turns/drive/runner.ts'
import { keepPrompts } from '../../turns/run/instructions.ts'
import { defaultTurnLimits } from '../../turns/run/turn-limits.ts'
import type { Invocation } from '../command.ts'

/**
 * Lets a command run turns in its own process, as one more replica of the service: with the configured models and the
 * same library. At the end it hands its unfinished runs over to any replica.
 */
export async function withTurns<T>(
  { installation, config, log, progress }: Invocation,
  { instructionsFile = config.model.instructionsFile }: { readonly instructionsFile?: string | undefined },
  work: (services: AskingServices) => Promise<T>,
): Promise<T> {
  const { database, library, plans } = installation
  const outside = config.mcpServers ? await readServersFile(config.mcpServers) : []
  requirePlans(outside, plans.names)
  const catalogue = await openCatalogue({ ...config.model, instructionsFile })
  try {
    // The first start of the service does this; a command may come before it.
    await ensureStarterLibrary(library)
    const embeddings = openEmbeddingModel(config, progress)
    const semantic = openSemanticSearch(library, embeddings, log)
    const fallback = config.fallback && openFallback(library, config.fallback, { log })
    const mcpServers = await openMcpServers(outside, { log })
    await keepPrompts(database, catalogue.models)
    const runner = createRunner({ database, library, catalogue, plans, semantic, fallback, mcpServers, log })
    try {
      await runner.seen
      const limits = defaultTurnLimits
      return await work({ database, library, plans, catalogue, mcpServers, runner, limits, log })
    } finally {
      await runner.drain()
      await mcpServers.close()
      await semantic?.close()
    }
  } finally {
    await catalogue.close()
  }
}
