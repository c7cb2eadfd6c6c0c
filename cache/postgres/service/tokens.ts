import { PipelineError } from '../../../base/errors/errors.js'
import { readTokenRow, sumOfToken, type TokenRow } from '../../rows/jobs.js'
import type { TokenStore } from '../../store.js'
import type { Context } from '../connection/context.js'

/** Opens the access tokens of a store on PostgreSQL. */
export const postgresTokens = (context: Context): TokenStore => ({
  add: ({ id, name, scope, hash, createdAt, expiresAt }) =>
    context.db.write(async query => {
      const row = { id, name, scope, hash, created: createdAt, expires: expiresAt ?? null }
      const insertedRows = await query(
        `INSERT INTO token (id, name, scope, hash, created, expires, sum) VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (id) DO NOTHING RETURNING number`,
        [id, name, scope, hash, row.created, row.expires, sumOfToken(context, row)],
      )
      if (insertedRows.length === 0)
        throw new PipelineError('store', `there is a token ${id} already: each token needs a new id`)
    }),
  find: id =>
    context.db.read(async query => {
      const [row] = await query<TokenRow>('SELECT * FROM token WHERE id = $1', [id])
      return row && readTokenRow(context, row)
    }),
  list: () =>
    context.db.read(async query => {
      const rows = await query<TokenRow>('SELECT * FROM token ORDER BY number')
      return rows.map(row => readTokenRow(context, row))
    }),
  remove: id =>
    context.db.write(async query => {
      const removed = await query('DELETE FROM token WHERE id = $1 RETURNING number', [id])
      return removed.length > 0
    }),
})
