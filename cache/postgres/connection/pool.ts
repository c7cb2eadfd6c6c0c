import type { Pool, PoolConfig } from 'pg'
import { PipelineError, systemCode } from '../../../base/errors/errors.js'
import type { ServerAddress } from './address.js'

/** The number of the type `bigint`. The driver would return it as text. */
const bigint = 20

/** Opens a connection pool. Connections are made on demand. */
export async function openPool(
  { connection, schema, connections }: ServerAddress,
  options: { readonly readOnly: boolean },
): Promise<Pool> {
  const { default: pg } = await loadDriver()
  const settings = [
    `search_path="${schema}"`,
    // The statements are short. To compile them would take longer than to run them.
    'jit=off',
    // A process that is stopped within a transaction must not hold back all others.
    'idle_in_transaction_session_timeout=60000',
    ...(options.readOnly ? ['default_transaction_read_only=on'] : []),
  ]
  const types = new pg.TypeOverrides()
  types.setTypeParser(bigint, Number)
  const config: PoolConfig = {
    application_name: 'pipeline',
    connectionTimeoutMillis: 10_000,
    connectionString: connection,
    options: settings.map(setting => `-c ${setting}`).join(' '),
    max: connections,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types,
  }
  return new pg.Pool(config)
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
