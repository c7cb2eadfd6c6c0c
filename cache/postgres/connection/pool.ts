import type { Client, ClientBase, ClientConfig, Pool } from 'pg'
import { PipelineError, systemCode } from '../../../base/errors/errors.js'
import type { ServerAddress } from './address.js'
import { isPooled, refuseSharing, secondConnectionMs } from './pooler.js'
import { makeQuery, type Query } from './query.js'
import { isBusy, isOutage } from './server-error.js'

/** The number of the type `bigint`. The driver would return it as text. */
const bigint = 20

/** The time that a server has to accept a connection, in milliseconds. */
const connectingMs = 10_000

/** The connections of a process to a server. */
export interface Server {
  readonly pool: Pool
  /**
   * Tells over a connection of its own whether one of the server's processes works on a statement.
   *
   * @param backend the number of the process. Undefined if the connection was lost before the server named it
   */
  isAtWork(backend: number | undefined): Promise<boolean>
  /**
   * Gives a new connection its settings.
   *
   * @returns the number of the server's process behind it
   * @throws PipelineError (store) if a pooler would give the settings to others
   */
  prepare(client: ClientBase, query: Query): Promise<number | undefined>
  /** Runs statements over a connection of its own, which is closed afterwards. Statements of the pool may wait for locks for long. */
  apart<T>(work: (query: Query) => Promise<T>): Promise<T>
}

/** Opens a connection pool. Connections are made on demand. */
export async function openServer(
  { connection, schema, connections, shown }: ServerAddress,
  options: { readonly readOnly: boolean },
): Promise<Server> {
  const { default: pg } = await loadDriver()
  // They are no start-up parameters, because poolers refuse or drop these.
  const settings = [
    `search_path TO "${schema}"`,
    // The statements are short. To compile them would take longer than to run them.
    'jit TO off',
    // A process that is stopped within a transaction must not hold back all others.
    'idle_in_transaction_session_timeout TO 60000',
    ...(options.readOnly ? ['default_transaction_read_only TO on'] : []),
  ]
  const prepareSql = settings.map(setting => `SET ${setting}`).join('; ')
  const types = new pg.TypeOverrides()
  types.setTypeParser(bigint, Number)
  const config: ClientConfig = {
    application_name: 'pipeline',
    connectionTimeoutMillis: connectingMs,
    connectionString: connection,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types,
  }
  const isBackendAtWork = (backend: number | undefined): Promise<boolean> =>
    isAtWork(new pg.Client({ ...config, query_timeout: connectingMs }), backend)
  let isOwn: Promise<void> | undefined
  const prepare = async (client: ClientBase, query: Query): Promise<number | undefined> => {
    const [server] = await query<{ backend: number }>('SELECT pg_backend_pid() AS backend')
    // A pooler is looked at once, since it serves all connections in the same way, and before settings could reach other programs.
    if (isPooled(client, server?.backend))
      await (isOwn ??= refuseSharing(
        shown,
        new pg.Client({ ...config, query_timeout: secondConnectionMs }),
        server?.backend,
      ))
    await query(prepareSql)
    return server?.backend
  }
  return {
    pool: new pg.Pool({ ...config, max: connections }),
    isAtWork: isBackendAtWork,
    prepare,
    apart: work => runApart(new pg.Client(config), work, { isBackendAtWork, prepare }),
  }
}

async function runApart<T>(
  client: Client,
  work: (query: Query) => Promise<T>,
  { isBackendAtWork, prepare }: { readonly isBackendAtWork: Server['isAtWork']; readonly prepare: Server['prepare'] },
): Promise<T> {
  client.on('error', () => undefined)
  try {
    await client.connect()
    const server: { backend?: number | undefined } = {}
    const query = makeQuery(client, () => isBackendAtWork(server.backend))
    server.backend = await prepare(client, query)
    return await work(query)
  } finally {
    // The driver's promise may stay open for a connection that was lost.
    void client.end().catch(() => undefined)
  }
}

async function isAtWork(client: Client, backend: number | undefined): Promise<boolean> {
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rowCount } = await client.query(
      "SELECT 1 FROM pg_stat_activity WHERE pid = $1 AND state NOT LIKE 'idle%'",
      [backend ?? null],
    )
    return rowCount === 1
  } catch (error) {
    // A server without a free connection can be reached, and says nothing else.
    return isBusy(error) || !isOutage(error)
  } finally {
    // The driver's promise may stay open for a connection that never came about.
    void client.end().catch(() => undefined)
  }
}

async function loadDriver(): Promise<typeof import('pg')> {
  try {
    return await import('pg')
  } catch (error) {
    if (systemCode(error) !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new PipelineError(
      'store',
      "a store on PostgreSQL needs the database's driver, which is not installed. Install it where pipeline is installed: npm install pg@8",
      { reason: 'store-unsupported' },
    )
  }
}
