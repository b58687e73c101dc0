export const settingsTabs = [
  { href: '/settings/keys', label: 'API keys' },
  { href: '/settings/account', label: 'Account' },
]
