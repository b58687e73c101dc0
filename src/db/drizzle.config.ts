import { defineConfig } from 'drizzle-kit'

// biome-ignore lint/style/noDefaultExport: drizzle-kit reads its configuration from the default export
export default defineConfig({
  dialect: 'postgresql',
  schema: './src/db/schema/index.ts',
  out: './migrations',
})
