import { expect, test } from 'vitest'
import {
  noSettings,
  readSettings,
  type SettingTexts,
  settingTexts,
} from '../../src/accounts/keys/key-settings.ts'

const known = { toolGroups: ['library', 'files', 'sheets'], models: ['service', 'service-lite'] }

const all = {
  day_cap: '2.5',
  month_cap: '0',
  total_cap: '1000',
  requests_per_minute: '60',
  concurrent_turns: '1',
  allowed_addresses: '203.0.113.0/24, 2001:db8::/48',
  model: 'service-lite',
  on_disconnect: 'cancel',
  tools: 'library,sheets',
  citation_style: 'links',
  max_output_tokens: '500',
  max_cost: '3.000001',
  continue_history: 'off',
}

test('settings are read from texts and written to the same texts', () => {
  const settings = readSettings(all, known)
  expect(settings).toEqual({
    dayCapMicros: 2_500_000n,
    monthCapMicros: 0n,
    totalCapMicros: 1_000_000_000n,
    requestsPerMinute: 60,
    concurrentTurns: 1,
    allowedAddresses: ['203.0.113.0/24', '2001:db8::/48'],
    defaults: {
      model: 'service-lite',
      onDisconnect: 'cancel',
      tools: ['library', 'sheets'],
      citationStyle: 'links',
      maxOutputTokens: 500,
      maxCostMicros: 3_000_001,
      continueHistory: false,
    },
  })
  expect(settingTexts(settings)).toEqual(all)
})

test('an absent or empty text sets nothing, and no tools are not all tools', () => {
  expect(readSettings({}, known)).toEqual(noSettings)
  expect(readSettings({ day_cap: ' ', tools: '' }, known)).toEqual(noSettings)
  expect(Object.values(settingTexts(noSettings)).join('')).toBe('')
  const none = readSettings({ tools: 'none' }, known)
  expect(none.defaults.tools).toEqual([])
  expect(settingTexts(none).tools).toBe('none')
})

test.each<SettingTexts>([
  { day_cap: '-1' },
  { month_cap: '1.0000001' },
  { total_cap: 'much' },
  { requests_per_minute: '0' },
  { concurrent_turns: '1.5' },
  { allowed_addresses: '203.0.113.0/33' },
  { allowed_addresses: 'example.org' },
  { model: 'gpt' },
  { on_disconnect: 'stop' },
  { tools: 'library,web' },
  { citation_style: 'footnotes' },
  { max_output_tokens: '10000000' },
  { max_cost: '0' },
  { continue_history: 'true' },
])('an invalid value is refused under its name: %j', (texts) => {
  const [name] = Object.keys(texts)
  expect(() => readSettings(texts, known)).toThrow(
    expect.objectContaining({ code: 'invalid_value', param: name }),
  )
})
