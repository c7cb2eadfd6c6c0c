/** Which tools the model may have called, from flags or configuration file. */
import { basename, dirname, extname, resolve } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { messageOf, PipelineError } from '../../base/errors.js'
import { readTextSync } from '../../base/files.js'
import { isSecretName } from '../../base/secrets.js'
import { withinDepth } from '../../base/yaml-values.js'
import type { JsonObject } from '../../cache/records.js'
import type { ToolServer } from '../../stages/model/tools/tool-server.js'
import { present } from '../../base/present.js'

export interface ToolSettings {
  /** Servers of the Model Context Protocol: command lines, and addresses. */
  readonly mcp?: readonly string[]
  /** A file of such servers. */
  readonly tools?: string
  /** Rounds of calls at most before an answer. */
  readonly maxToolRounds?: number
  /** Seconds for one call. */
  readonly toolTimeout?: number
  /** Where the programs of `mcp` are started. @default the working directory */
  readonly toolFolder?: string
}

/** The flags have the names of the settings. */
export type ToolFlags = Omit<ToolSettings, 'toolFolder'>

/** What may stand in a configuration file. Descriptions go into errors. */
export const toolKeys = {
  mcp: z
    .union([z.string().transform(one => [one]), z.array(z.string())])
    .describe('a command line or an address, or a list of them')
    .optional(),
  tools: z.string().describe('a file of tool servers').optional(),
  max_tool_rounds: z.int().nonnegative().describe('a whole number, 0 or more').optional(),
  tool_timeout: z.number().positive().describe('seconds, more than 0').optional(),
}

type ToolConfig = { readonly [Key in keyof typeof toolKeys]?: z.output<(typeof toolKeys)[Key]> }

export function toolSettings(flags: ToolFlags, config: ToolConfig): ToolSettings {
  return present({
    mcp: flags.mcp ?? config.mcp,
    tools: flags.tools ?? config.tools,
    maxToolRounds: flags.maxToolRounds ?? config.max_tool_rounds,
    toolTimeout: flags.toolTimeout ?? config.tool_timeout,
  })
}

const interpreters: Readonly<Record<string, string>> = { '.py': 'python3', '.js': 'node', '.mjs': 'node' }

/** With the server that lmms-eval's model argument `mcp_server_path` names by its program's file. */
export function withServerPath(settings: ToolSettings, path: unknown): ToolSettings {
  if (typeof path !== 'string') return settings
  const interpreter = interpreters[extname(path)]
  const quoted = `"${path.replace(/(["\\])/g, '\\$1')}"`
  return {
    ...settings,
    mcp: [...(settings.mcp ?? []), interpreter === undefined ? quoted : `${interpreter} ${quoted}`],
  }
}

/** In the words of a configuration file. What an address has of secrets is left out: it must be given again. */
export const writtenTools = ({ mcp, tools, maxToolRounds, toolTimeout }: ToolSettings, cwd: string): JsonObject => ({
  mcp: mcp?.map(withoutSecretParts),
  tools: tools === undefined ? undefined : resolve(cwd, tools),
  max_tool_rounds: maxToolRounds,
  tool_timeout: toolTimeout,
})

/** A flag that names a secret, with its value, unless that is a variable of the environment. */
const secretFlag = /(\s--?[\w-]*(?:key|token|secret|password)[=\s]+)(?!["']?\$\{)("(?:\\.|[^"\\])*"|'[^']*'|[^\s"']+)/gi
const leftOut = '***'

function withoutSecretParts(server: string): string {
  if (!isAddress(server)) return server.replace(secretFlag, `$1${leftOut}`)
  const url = new URL(server)
  for (const name of [...url.searchParams.keys()]) if (isSecretName(name)) url.searchParams.delete(name)
  return url.href
}

const isAddress = (text: string): boolean => /^https?:\/\//i.test(text.trim()) && URL.canParse(text.trim())

/**
 * The servers that are named.
 *
 * @param env takes the place of `${NAME}` in the file
 * @throws PipelineError where a file, a line or a variable can't be read.
 */
export function readToolServers(
  { mcp = [], tools, toolFolder: cwd }: ToolSettings,
  env: Readonly<Record<string, string | undefined>>,
): readonly ToolServer[] {
  const lines = mcp.map((line, index): ToolServer => {
    const name = `server${index + 1}`
    if (isAddress(line)) return { type: 'http', name, url: line.trim() }
    if (line.includes(leftOut))
      throw new PipelineError(
        'usage',
        `--mcp ${line}: a secret is not stored: give the line again, with \${NAME} for it`,
      )
    const { fill, secrets } = variables(env, '--mcp')
    const [command, ...args] = words(line).map(fill)
    if (command === undefined) throw new PipelineError('usage', '--mcp: expected a command line or an address')
    const given = [...line.matchAll(secretFlag)].flatMap(([, , value = '']) => words(value))
    return { type: 'stdio', name, command, args, ...(cwd !== undefined && { cwd }), secrets: [...secrets, ...given] }
  })
  return [...lines, ...(tools === undefined ? [] : serversIn(tools, env))]
}

/** The words of a command line: white space parts them, unless it is in quotes. No shell is asked. */
function words(line: string): readonly string[] {
  const found = line.match(/(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\])+/g) ?? []
  const bare = found.map(word =>
    word.replace(/"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)/g, (_, double?: string, single?: string, escaped?: string) =>
      double === undefined ? (single ?? escaped ?? '') : double.replace(/\\(["\\])/g, '$1'),
    ),
  )
  if (/["']/.test(line.replace(/"(?:\\.|[^"\\])*"|'[^']*'|\\./g, '')))
    throw new PipelineError('usage', `--mcp ${line}: a quotation mark is not closed`)
  return bare
}

const texts = z.record(z.string(), z.string())
const server = z.union(
  [
    z.strictObject({
      type: z.literal('stdio').optional(),
      command: z.string().min(1),
      args: z.array(z.string()).default([]),
      env: texts.optional(),
      cwd: z.string().optional(),
    }),
    z.strictObject({
      type: z.enum(['http', 'streamable-http', 'streamableHttp']).optional(),
      url: z.url(),
      headers: texts.optional(),
    }),
  ],
  'expected {command, args, env, cwd} or {url, headers}',
)
const serverFile = z.strictObject({ mcpServers: z.record(z.string(), server) })

/** The servers of a file, as other programs' `mcpServers`. Relative folders, and programs, are meant from its folder. */
function serversIn(file: string, env: Readonly<Record<string, string | undefined>>): readonly ToolServer[] {
  const parsed = serverFile.safeParse(parsedFile(file))
  if (!parsed.success)
    throw new PipelineError(
      'config',
      parsed.error.issues.map(({ path, message }) => `${file}  ${path.join('.')}: ${message}`),
    )
  const folder = dirname(resolve(file))
  return Object.entries(parsed.data.mcpServers).map(([name, given]): ToolServer => {
    const { fill, secrets } = variables(env, `${file}  mcpServers.${name}`)
    const all = (map: Readonly<Record<string, string>> = {}) =>
      Object.fromEntries(Object.entries(map).map(([key, value]) => [key, fill(value)]))
    if ('url' in given) {
      const headers = all(given.headers)
      return { type: 'http', name, url: fill(given.url), headers, secrets: [...secrets, ...Object.values(headers)] }
    }
    const own = all(given.env)
    const named = Object.entries(own).flatMap(([key, value]) => (isSecretName(key) ? [value] : []))
    return {
      type: 'stdio',
      name,
      command: fill(given.command),
      args: given.args.map(fill),
      env: own,
      cwd: resolve(folder, fill(given.cwd ?? '.')),
      secrets: [...new Set([...secrets, ...named])],
    }
  })
}

function parsedFile(file: string): unknown {
  try {
    // JSON is YAML, too.
    const text = readTextSync(file)
    return withinDepth(text, () => parse(text) as unknown)
  } catch (error) {
    throw new PipelineError('usage', `--tools ${basename(file)}: ${messageOf(error)}`, { cause: error })
  }
}

/** Puts the environment's values in the place of `${NAME}`, and remembers them: they may be secrets. */
function variables(
  env: Readonly<Record<string, string | undefined>>,
  place: string,
): { readonly fill: (text: string) => string; readonly secrets: readonly string[] } {
  const secrets: string[] = []
  const fill = (text: string): string =>
    text.replace(/\$\{(\w+)\}/g, (_, name: string) => {
      const value = env[name]
      if (value === undefined) throw new PipelineError('config', `${place}: the environment has no ${name}`)
      // A short one is no secret, and would take letters out of other words.
      if (value.length >= shortestSecret) secrets.push(value)
      return value
    })
  return { fill, secrets }
}

const shortestSecret = 6
