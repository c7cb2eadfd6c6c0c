/** The tools that the model may call, from flags or configuration file. */
import { mistakeLines } from '../../../base/errors/schema-mistakes.js'
import { basename, dirname, extname, resolve } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { messageOf, PipelineError } from '../../../base/errors/errors.js'
import { option as named } from '../../../base/errors/option-words.js'
import { readTextSync } from '../../../base/files/files.js'
import { isSecretName } from '../../../base/text/secrets.js'
import { withinDepth } from '../../../base/values/yaml-values.js'
import type { ToolServer } from '../../../stages/model/tools/tool-server.js'
import { option, type StoredContext, type SettingsOf } from '../option.js'
import { seconds, text, texts, whole } from './option-values.js'

/** Tools that the model may call. */
export const toolOptions = {
  /** Servers of the Model Context Protocol whose tools the model may call: command lines, and addresses. @default none */
  mcp: option({
    flag: '--mcp <server>',
    help: 'a command line or an address of an MCP server; may be repeated',
    docs: 'a command line or an address of [tools](../models/tools.md) that the model may call; may be repeated',
    ...texts('a command line or an address, or a list of them'),
    program: {
      schema: z.array(z.string()).readonly().describe('a list of command lines and addresses'),
      read: (value: readonly string[]) => value,
    },
    isIdentity: true,
    stored: (servers: readonly string[]) => servers.map(withoutSecretParts),
  }),
  /** A file of such servers (`mcpServers`). */
  tools: option({
    flag: '--tools <file>',
    help: 'a file of such servers: {mcpServers: {name: {command, args, env} or {url, headers}}}',
    docs: 'a file of such servers',
    ...text('a file of tool servers'),
    isPath: true,
    isIdentity: true,
    stored: (file: string, { cwd }: StoredContext) => resolve(cwd, file),
  }),
  /** Maximum rounds of tool calls before an answer. @default 10 */
  maxToolRounds: option({
    flag: '--max-tool-rounds <n>',
    help: 'maximum rounds of tool calls before an answer (10)',
    ...whole(0),
    isIdentity: true,
    stored: 'given',
  }),
  /** Timeout of one tool call, in seconds. @default 60 */
  toolTimeout: option({
    flag: '--tool-timeout <seconds>',
    help: 'timeout of one tool call (60)',
    ...seconds,
    isIdentity: false,
    stored: 'given',
  }),
}

export interface ToolSettings extends SettingsOf<typeof toolOptions> {
  /** The working directory of the programs of `mcp`. */
  readonly toolFolder?: string
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

/** A flag that names a secret, with its value, unless that is a variable of the environment. */
const secretFlag = /(\s--?[\w-]*(?:key|token|secret|password)[=\s]+)(?!["']?\$\{)("(?:\\.|[^"\\])*"|'[^']*'|[^\s"']+)/gi
const leftOut = '***'

/** Leaves out the secret parts of an address or a command line: the user must give them again. */
export function withoutSecretParts(server: string): string {
  if (!isAddress(server)) return server.replace(secretFlag, `$1${leftOut}`)
  const url = new URL(server)
  for (const name of [...url.searchParams.keys()]) if (isSecretName(name)) url.searchParams.delete(name)
  return url.href
}

export const isAddress = (text: string): boolean => /^https?:\/\//i.test(text.trim()) && URL.canParse(text.trim())

/**
 * Reads the tool servers that the options name.
 *
 * @param env replaces `${NAME}` in the file
 * @throws PipelineError if a file, a command line or a variable cannot be read
 */
export function readToolServers(
  { mcp = [], tools }: ToolSettings,
  env: Readonly<Record<string, string | undefined>>,
): readonly ToolServer[] {
  const lines = mcp.map((line, index): ToolServer => {
    const name = `server${index + 1}`
    if (isAddress(line)) return { type: 'http', name, url: line.trim() }
    if (line.includes(leftOut))
      throw new PipelineError(
        'usage',
        `${named('mcp')} ${line}: a secret is not stored: give the line again, with \${NAME} for it`,
      )
    const { fill, secrets } = variables(env, named('mcp'))
    const [command, ...args] = words(line).map(fill)
    if (command === undefined)
      throw new PipelineError('usage', `${named('mcp')}: expected a command line or an address`)
    const flagSecrets = [...line.matchAll(secretFlag)].flatMap(([, , value = '']) => words(value))
    return { type: 'stdio', name, command, args, secrets: [...secrets, ...flagSecrets] }
  })
  return [...lines, ...(tools === undefined ? [] : serversIn(tools, env))]
}

/** Splits a command line at white space outside of quotes. No shell is involved. */
function words(line: string): readonly string[] {
  const quotedWords = line.match(/(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\])+/g) ?? []
  const bare = quotedWords.map(word =>
    word.replace(/"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)/g, (_, double?: string, single?: string, escaped?: string) =>
      double === undefined ? (single ?? escaped ?? '') : double.replace(/\\(["\\])/g, '$1'),
    ),
  )
  if (/["']/.test(line.replace(/"(?:\\.|[^"\\])*"|'[^']*'|\\./g, '')))
    throw new PipelineError('usage', `${named('mcp')} ${line}: a quotation mark is not closed`)
  return bare
}

const textsByName = z.record(z.string(), z.string())
const server = z.union(
  [
    z.strictObject({
      type: z.literal('stdio').optional(),
      command: z.string().min(1),
      args: z.array(z.string()).default([]),
      env: textsByName.optional(),
      cwd: z.string().optional(),
    }),
    z.strictObject({
      type: z.enum(['http', 'streamable-http', 'streamableHttp']).optional(),
      url: z.url(),
      headers: textsByName.optional(),
    }),
  ],
  'expected {command, args, env, cwd} or {url, headers}',
)
const serverFile = z.strictObject({ mcpServers: z.record(z.string(), server) })

/** Reads the servers of a file with `mcpServers`, as in other programs. Relative folders and programs are resolved from the file's folder. */
function serversIn(file: string, env: Readonly<Record<string, string | undefined>>): readonly ToolServer[] {
  const content = parsedFile(file)
  const parsed = serverFile.safeParse(content)
  if (!parsed.success)
    throw new PipelineError(
      'config',
      // Headers and variables may be secrets.
      mistakeLines(parsed.error.issues, content, { from: 'json', whole: 'the file', isHidden: () => true }).map(
        line => `${file}  ${line}`,
      ),
    )
  const folder = dirname(resolve(file))
  return Object.entries(parsed.data.mcpServers).map(([name, entry]): ToolServer => {
    const { fill, secrets } = variables(env, `${file}  mcpServers.${name}`)
    const all = (map: Readonly<Record<string, string>> = {}) =>
      Object.fromEntries(Object.entries(map).map(([key, value]) => [key, fill(value)]))
    if ('url' in entry) {
      const headers = all(entry.headers)
      return { type: 'http', name, url: fill(entry.url), headers, secrets: [...secrets, ...Object.values(headers)] }
    }
    const own = all(entry.env)
    const secretValues = Object.entries(own).flatMap(([key, value]) => (isSecretName(key) ? [value] : []))
    return {
      type: 'stdio',
      name,
      command: fill(entry.command),
      args: entry.args.map(fill),
      env: own,
      cwd: resolve(folder, fill(entry.cwd ?? '.')),
      secrets: [...new Set([...secrets, ...secretValues])],
    }
  })
}

function parsedFile(file: string): unknown {
  try {
    // The YAML parser also reads JSON.
    const text = readTextSync(file)
    return withinDepth(text, () => parse(text, { logLevel: 'error' }) as unknown)
  } catch (error) {
    throw new PipelineError('usage', `${named('tools')} ${basename(file)}: ${messageOf(error)}`, { cause: error })
  }
}

/** Replaces `${NAME}` by the environment's values, and records the values, because they may be secrets. */
function variables(
  env: Readonly<Record<string, string | undefined>>,
  location: string,
): { readonly fill: (text: string) => string; readonly secrets: readonly string[] } {
  const secrets: string[] = []
  const fill = (text: string): string =>
    text.replace(/\$\{(\w+)\}/g, (_, name: string) => {
      const value = env[name]
      if (value === undefined) throw new PipelineError('config', `${location}: the environment has no ${name}`)
      // Short values are not hidden: they are no secrets, and hiding them would garble other words.
      if (value.length >= shortestSecret) secrets.push(value)
      return value
    })
  return { fill, secrets }
}

const shortestSecret = 6
