import { withoutSecrets } from '../../../base/secrets.js'

/** Who offers tools, and how it is reached. */
export type ToolServer = StdioServer | HttpServer

interface AnyServer {
  /** For messages, and before the names of tools that two servers offer. */
  readonly name: string
  /** What must stand in no message, and in no result: values of the environment and of headers. */
  readonly secrets?: readonly string[]
}

/** A program that is started, and speaks through its standard input and output. */
export interface StdioServer extends AnyServer {
  readonly type: 'stdio'
  readonly command: string
  readonly args: readonly string[]
  /** Beside what every program needs (`PATH`, `HOME`, …): secrets of others are not handed on. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** A server that runs already. */
export interface HttpServer extends AnyServer {
  readonly type: 'http'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
}

/** How it is called in messages. */
export function shownServer(server: ToolServer): string {
  if (server.type === 'stdio') return masked(server, `${server.name} (${[server.command, ...server.args].join(' ')})`)
  const { origin, pathname } = new URL(server.url)
  return masked(server, `${server.name} (${origin}${pathname})`)
}

/** A text without what must not be shown. */
export const masked = ({ secrets = [] }: ToolServer, text: string): string => withoutSecrets(text, secrets)
