/** An MCP server that is a process: it answers with the variables that it was given. */
import { argv, env, exit } from 'node:process'
import { McpServer } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

const server = new McpServer({ name: 'outside', version: '1' })
server.registerTool('weather', { inputSchema: z.object({ city: z.string() }) }, ({ city }) => {
  if (city === 'nowhere') exit(1)
  // biome-ignore lint/style/noProcessEnv: the variables are what the test asks for
  const text = `${city}: ${env['SKY']}, ${argv[2]}, ${env['MODEL_API_KEY']}`
  return { content: [{ type: 'text', text }] }
})
await server.connect(new StdioServerTransport())
