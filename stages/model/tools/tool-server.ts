/** Who offers tools, and how it is reached. */
export type ToolServer = StdioServer | HttpServer

/** A program that is started, and speaks through its standard input and output. */
export interface StdioServer {
  readonly type: 'stdio'
  /** For messages, and before the names of tools that two servers offer. */
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  /** Beside what every program needs (`PATH`, `HOME`, …): secrets of others are not handed on. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** A server that runs already. */
export interface HttpServer {
  readonly type: 'http'
  readonly name: string
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
}

/** How it is called in messages: without what may be secret. */
export function shownServer(server: ToolServer): string {
  if (server.type === 'stdio') return `${server.name} (${[server.command, ...server.args].join(' ')})`
  const { origin, pathname } = new URL(server.url)
  return `${server.name} (${origin}${pathname})`
}
