import type { Client, ClientBase } from 'pg'
import { messageOf, PipelineError } from '../../../base/errors/errors.js'

/** The time that a second connection through a pooler may take, in milliseconds. One that has no free connection gives none. */
export const secondConnectionMs = 5_000

/**
 * Tells whether a connection leads through a pooler: the process number that it got when it was opened is not that of the server's process.
 *
 * @param backend what the server's process says of itself
 */
export function isPooled(client: ClientBase, backend: number | undefined): boolean {
  const named: unknown = Reflect.get(client, 'processID')
  return typeof named === 'number' && backend !== undefined && named !== backend
}

/**
 * Refuses a pooler that gives the server's process of an idle client to another client, as PgBouncer does with `pool_mode=transaction`. Settings of a
 * connection, such as the schema, would be lost or reach other programs.
 *
 * @param backend the server's process that an idle connection of this process used last
 * @throws PipelineError (store)
 */
export async function refuseSharing(storeName: string, second: Client, backend: number | undefined): Promise<void> {
  second.on('error', () => undefined)
  try {
    await second.connect()
    await second.query('BEGIN')
    const { rows } = await second.query<{ backend: number }>('SELECT pg_backend_pid() AS backend')
    await second.query('ROLLBACK')
    if (rows[0]?.backend === backend) throw sharingError(storeName)
  } catch (error) {
    if (error instanceof PipelineError) throw error
    if (/statement pooling/i.test(messageOf(error))) throw sharingError(storeName)
    // A pooler without a further connection keeps the first one for this process.
  } finally {
    void second.end().catch(() => undefined)
  }
}

const sharingError = (storeName: string): PipelineError =>
  new PipelineError(
    'store',
    `the store ${storeName} is behind a connection pooler that shares connections between transactions, such as PgBouncer with pool_mode=transaction. The schema of a connection (search_path) and its notifications would be lost. Use pool_mode=session for this database, or the address of the server itself.`,
    { reason: 'store-unsupported' },
  )
