import { expect, test } from 'vitest'
import { migrate } from '../../../cache/postgres/connection/migrate.js'
import type { Query } from '../../../cache/postgres/connection/query.js'

/** A server that tells its version and encoding, and refuses everything else. */
const makeServer = (version: string, encoding = 'UTF8') => {
  const query: Query = <Row>(sql: string) => {
    if (sql.includes('advisory')) return Promise.resolve([])
    if (sql.includes('server_version_num')) return Promise.resolve([{ version, encoding }] as unknown as readonly Row[])
    return Promise.reject(new Error(`unexpected: ${sql}`))
  }
  const write = <T>(work: (given: Query, attempt: number) => Promise<T>): Promise<T> => work(query, 0)
  return { shown: 'postgres://ada@db/evals', write }
}

const create = (server: ReturnType<typeof makeServer>): Promise<unknown> =>
  migrate(server, 'pipeline', () => Promise.resolve())

test('a server that is too old, or has another encoding, is refused before a table is made', async () => {
  await expect(create(makeServer('130022'))).rejects.toThrow(
    'the store postgres://ada@db/evals is on PostgreSQL 13. PostgreSQL 14 or newer is needed.',
  )
  await expect(create(makeServer('140000', 'LATIN1'))).rejects.toThrow('has the encoding LATIN1')
  await expect(create(makeServer('140000'))).rejects.toThrow('unexpected: SELECT to_regclass')
})
