import { readAddressRange } from '../../addresses/address-ranges.ts'
import { creditsText, parseCredits } from '../../billing/credits.ts'
import type { apiKeys } from '../../db/schema/index.ts'
import { invalidValue, type ServiceError } from '../../errors.ts'
import type { KeyDefaults } from '../key-defaults.ts'

/** Limits of one key, beside those of its account's plan. Null: none. */
export type KeyLimits = Readonly<
  Pick<Row, 'dayCapMicros' | 'monthCapMicros' | 'totalCapMicros' | 'requestsPerMinute' | 'concurrentTurns'>
> & {
  /** Ranges of addresses from which it may be used, as `readAddressRange` writes them. */
  readonly allowedAddresses: readonly string[] | null
}

type Row = typeof apiKeys.$inferSelect

export type KeySettings = KeyLimits & { readonly defaults: KeyDefaults }

export const noSettings: KeySettings = Object.freeze({
  dayCapMicros: null,
  monthCapMicros: null,
  totalCapMicros: null,
  requestsPerMinute: null,
  concurrentTurns: null,
  allowedAddresses: null,
  defaults: {},
})

/** The limits as forms and commands name them. */
export const limitNames = [
  'day_cap',
  'month_cap',
  'total_cap',
  'requests_per_minute',
  'concurrent_turns',
  'allowed_addresses',
] as const

/** What requests mean that do not say it, likewise. */
export const defaultNames = [
  'model',
  'on_disconnect',
  'tools',
  'citation_style',
  'max_output_tokens',
  'max_cost',
  'continue_history',
] as const

export const settingNames = [...limitNames, ...defaultNames] as const

export type SettingName = (typeof settingNames)[number]

/** Values as people write them. An absent or empty one is not set. */
export type SettingTexts = Readonly<Partial<Record<SettingName, string>>>

/** What names in settings may be. */
export type KnownNames = {
  readonly toolGroups: readonly string[]
  /** Undefined: any model, for a command that does not read the catalogue. */
  readonly models?: readonly string[]
}

/**
 * Reads settings from their texts: amounts in credits, `allowed_addresses` separated by commas or spaces, `tools` by commas
 * or `none`, `continue_history` as `on` or `off`.
 * @throws ServiceError `invalid_value` with the name of the setting as `param`.
 */
export function readSettings(texts: SettingTexts, known: KnownNames): KeySettings {
  const read = <T>(name: SettingName, parse: Parse<T>): T | undefined => {
    const text = texts[name]?.trim() ?? ''
    return text === '' ? undefined : parse(text, name)
  }
  const defaults = {
    model: read('model', (text, name) => oneOf(known.models ?? [text])(text, name)),
    onDisconnect: read('on_disconnect', oneOf(['continue', 'cancel'])),
    tools: read('tools', (text, name) => toolsOf(text, name, known.toolGroups)),
    citationStyle: read('citation_style', oneOf(['numbers', 'links'])),
    maxOutputTokens: read('max_output_tokens', wholeNumber),
    maxCostMicros: read('max_cost', (text, name) => Number(positive(text, name))),
    continueHistory: read('continue_history', (text, name) => oneOf(['on', 'off'])(text, name) === 'on'),
  }
  return {
    dayCapMicros: read('day_cap', amount) ?? null,
    monthCapMicros: read('month_cap', amount) ?? null,
    totalCapMicros: read('total_cap', amount) ?? null,
    requestsPerMinute: read('requests_per_minute', wholeNumber) ?? null,
    concurrentTurns: read('concurrent_turns', wholeNumber) ?? null,
    allowedAddresses: read('allowed_addresses', (text) => addressRanges(text.split(/[\s,]+/))) ?? null,
    defaults: withoutUndefined(defaults),
  }
}

type Parse<T> = (text: string, name: SettingName) => T

function amount(text: string, name: SettingName): bigint {
  const micros = parseCredits(text)
  if (micros !== undefined) return micros
  throw invalid(name, `"${text}" is not an amount of credits. Write it as 2.5, or leave it empty.`)
}

function positive(text: string, name: SettingName): bigint {
  const micros = amount(text, name)
  if (micros > 0n) return micros
  throw invalid(name, 'It must be above 0. Change it, or leave it empty.')
}

const maxNumber = 1_000_000

function wholeNumber(text: string, name: SettingName): number {
  const number = /^\d{1,7}$/.test(text) ? Number(text) : 0
  if (number >= 1 && number <= maxNumber) return number
  throw invalid(name, `"${text}" is not a whole number from 1 to ${maxNumber}. Change it, or leave it empty.`)
}

function oneOf<const T extends string>(values: readonly T[]): Parse<T> {
  return (text, name) => {
    const found = values.find((value) => value === text)
    if (found !== undefined) return found
    throw invalid(name, `"${text}" is not one of: ${values.join(', ')}. Choose one, or leave it empty.`)
  }
}

function toolsOf(text: string, name: SettingName, groups: readonly string[]): readonly string[] {
  if (text === 'none') return []
  const chosen = text.split(',').map((group) => oneOf(groups)(group.trim(), name))
  return groups.filter((group) => chosen.includes(group))
}

export const maxRanges = 50

/**
 * Reads ranges of addresses.
 * @throws ServiceError `invalid_value` with the param `allowed_addresses`.
 */
export function addressRanges(texts: readonly string[]): readonly string[] {
  const written = texts.filter((text) => text !== '')
  const ranges = written.map((text) => {
    const range = readAddressRange(text)
    if (range !== undefined) return range
    const remedy = 'Write an address such as 203.0.113.7 or a range such as 2001:db8::/48.'
    throw invalid('allowed_addresses', `"${text}" is no address and no range. ${remedy}`)
  })
  if (ranges.length > 0 && ranges.length <= maxRanges) return [...new Set(ranges)]
  throw invalid('allowed_addresses', `Name 1 to ${maxRanges} addresses or ranges, or leave it empty.`)
}

function invalid(name: SettingName, message: string): ServiceError {
  return invalidValue(`\`${name}\`: ${message}`, name)
}

/** Members without a value are left out, as a request's own absent fields are. */
function withoutUndefined(
  defaults: { readonly [name in keyof KeyDefaults]: KeyDefaults[name] | undefined },
): KeyDefaults {
  return Object.fromEntries(
    Object.entries(defaults).filter(([, value]) => value !== undefined),
  ) as KeyDefaults
}

/** The texts from which `readSettings` reads the same settings. */
export function settingTexts(settings: KeySettings): Readonly<Record<SettingName, string>> {
  const { defaults } = settings
  const credits = (micros: bigint | number | null | undefined) =>
    micros === null || micros === undefined ? '' : creditsText(BigInt(micros))
  const tools = defaults.tools?.length === 0 ? 'none' : (defaults.tools?.join(',') ?? '')
  const history = { true: 'on', false: 'off', undefined: '' }[`${defaults.continueHistory}`]
  return {
    day_cap: credits(settings.dayCapMicros),
    month_cap: credits(settings.monthCapMicros),
    total_cap: credits(settings.totalCapMicros),
    requests_per_minute: `${settings.requestsPerMinute ?? ''}`,
    concurrent_turns: `${settings.concurrentTurns ?? ''}`,
    allowed_addresses: settings.allowedAddresses?.join(', ') ?? '',
    model: defaults.model ?? '',
    on_disconnect: defaults.onDisconnect ?? '',
    tools,
    citation_style: defaults.citationStyle ?? '',
    max_output_tokens: `${defaults.maxOutputTokens ?? ''}`,
    max_cost: credits(defaults.maxCostMicros),
    continue_history: history,
  }
}
