import { creditsText } from '../billing/credits.ts'
import { withTx } from '../db/client.ts'
import { invalidValue, notFound, ServiceError } from '../errors.ts'
import type { CheckResult, ModelCheck } from '../models/check/model-check.ts'
import { checkModel } from '../models/check/run-checks.ts'
import { storeCheck } from '../models/check/stored-checks.ts'
import { type CatalogueModel, openCatalogue } from '../models/model-catalogue.ts'
import { listPrompts } from '../turns/run/instructions.ts'
import type { Command, Invocation, Output } from './command.ts'
import { untilInterrupted } from './interruption.ts'

export const modelCommands: Readonly<Record<string, Command>> = {
  'models check': {
    usage: '[ID]',
    summary:
      'makes about 25 small calls to a model (default: service) and says whether it is good enough for turns; exits with 1 if it is not',
    run: check,
  },
  'models list': {
    usage: '',
    summary: 'lists the models with their windows and prices',
    run: list,
  },
  'models prompts': {
    usage: '[HASH]',
    summary: 'lists the texts that the service and its host told models, or prints the one that a run names',
    run: prompts,
  },
}

/** Texts that runs were told. Nobody but an operator can read those of the service. */
async function prompts({ installation, words: [hash] }: Invocation): Promise<Output> {
  const prompts = await listPrompts(installation.database)
  if (hash === undefined) {
    const rows = prompts.map(({ text, ...prompt }) => ({
      ...prompt,
      begins: text.slice(0, 40).replaceAll(/\s+/g, ' '),
    }))
    return { rows }
  }
  const prompt = prompts.find((one) => one.hash === hash)
  if (!prompt) throw notFound('HASH')
  return { rows: prompt, lines: [prompt.text] }
}

async function check(invocation: Invocation): Promise<Output> {
  const { installation, config, words, progress } = invocation
  let falseUsage: string | undefined
  const catalogue = await openCatalogue(config.model, {
    onFalseUsage: (_, fault) => {
      falseUsage ??= fault
    },
  })
  try {
    const model = checkable(catalogue.models, words[0] ?? 'service')
    const { value: found, interrupted } = await untilInterrupted((signal) =>
      checkModel(model, {
        signal,
        falseUsage: () => falseUsage,
        onResult: ({ title, status }) => progress(`${title}: ${status}`),
      }),
    )
    // Half a run would replace a whole one on the operator's page.
    if (!interrupted) await withTx(installation.database, 'system', (tx) => storeCheck(tx, found))
    return { rows: found, lines: linesOf(found), exitCode: interrupted ? 130 : found.good_enough ? 0 : 1 }
  } finally {
    await catalogue.close()
  }
}

/** @throws ServiceError for a model that does not exist or has no server. */
function checkable(models: readonly CatalogueModel[], id: string): CatalogueModel {
  const model = models.find((one) => one.id === id)
  if (!model) {
    const known = models.map((one) => one.id).join(', ')
    throw new ServiceError('model_not_found', `There is no model "${id}". Use one of: ${known}.`)
  }
  if (!model.isBuiltIn) return model
  throw invalidValue(
    `The model "${id}" is the built-in model, which needs no check. Set MODEL_BASE_URL, or \`base_url\` in MODELS_FILE.`,
  )
}

async function list({ config }: Invocation): Promise<Output> {
  const catalogue = await openCatalogue(config.model)
  const per1000 = (micros: bigint) => creditsText(1_000n * micros)
  const rows = catalogue.models.map(
    ({ id, title, contextTokens, readsImages, isBuiltIn, isLite, price }) => ({
      ...{ id, title, built_in: isBuiltIn, lite: isLite },
      ...{ context_tokens: contextTokens, images: readsImages },
      price: {
        input: per1000(price.inputMicrosPerToken),
        output: per1000(price.outputMicrosPerToken),
        tool_call: creditsText(price.toolCallMicros),
      },
    }),
  )
  await catalogue.close()
  return {
    rows,
    lines: rows.map(
      ({ id, built_in, lite, context_tokens, images, price }) =>
        `${id}  ${built_in ? 'built-in' : 'server'}${lite ? ', lite' : ''}  ${context_tokens} tokens  ${images ? 'images' : 'no images'}  credits: ${price.input} input, ${price.output} output, ${price.tool_call} tool call`,
    ),
  }
}

const titleWidth = 20

function linesOf(found: ModelCheck): readonly string[] {
  const { counts } = found
  return [
    ...found.checks.flatMap(checkLines),
    '',
    `${counts.ok} ok, ${counts.adapted} adapted, ${counts.failed} failed, ${counts.skipped} skipped.${speedText(found)}`,
    `${found.calls} calls, ${found.prompt_tokens} prompt tokens, ${found.completion_tokens} completion tokens: ${found.credits} credits at the price of the model. Nobody is charged.`,
    verdictLine(found),
  ]
}

function checkLines(result: CheckResult): readonly string[] {
  const { status, severity, title, proves, note, detail, remedy } = result
  const mark = status === 'failed' && severity === 'needed' ? 'FAILED' : status
  const head = `${mark.padEnd(8)} ${title.padEnd(titleWidth)} `
  if (status === 'ok') return [`${head}${note ?? proves}${costText(result)}`]
  if (status === 'skipped') return [`${head}${detail}`]
  return [`${head}${detail}${costText(result)}`, `${' '.repeat(9)}→ ${remedy}`]
}

function costText({ calls, prompt_tokens, completion_tokens, credits, ms }: CheckResult): string {
  if (calls === 0) return ''
  return `  (${calls} ${calls === 1 ? 'call' : 'calls'}, ${prompt_tokens} + ${completion_tokens} tokens, ${credits} credits, ${(ms / 1_000).toFixed(1)} s)`
}

function speedText({ first_text_ms: first, tokens_per_second: rate }: ModelCheck): string {
  if (first === null) return ''
  return ` First text after ${(first / 1_000).toFixed(1)} s${rate === null ? '' : `, then ${rate} tokens per second`}.`
}

function verdictLine({ model, good_enough, interrupted, checks }: ModelCheck): string {
  if (interrupted) return 'Stopped. The result is not stored.'
  if (good_enough) return `The model "${model}" is good enough for turns.`
  const missing = checks.filter(({ status, severity }) => status === 'failed' && severity === 'needed')
  return `The model "${model}" is not good enough for turns: ${missing.map(({ title }) => title).join(', ')}.`
}
