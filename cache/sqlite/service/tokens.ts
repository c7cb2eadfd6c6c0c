import { PipelineError } from '../../../base/errors/errors.js'
import type { StoredToken, TokenStore } from '../../store.js'
import type { Context, Read } from '../connection/context.js'
import { type TokenRow, readTokenRow, sumOfToken } from '../../rows/jobs.js'

/** Opens the access tokens of an SQLite store. */
export const sqliteTokens = (context: Context, read: Read): TokenStore => ({
  add: token => context.commit.add(() => add(context, token)),
  find: id =>
    read(() => {
      const row = context.sql<TokenRow>('SELECT * FROM token WHERE id = ?').get(id)
      return row && readTokenRow(context, row)
    }),
  list: () =>
    read(() =>
      context
        .sql<TokenRow>('SELECT * FROM token ORDER BY number')
        .all()
        .map(row => readTokenRow(context, row)),
    ),
  remove: id => context.commit.add(() => context.sql('DELETE FROM token WHERE id = ?').run(id).changes === 1),
})

function add(context: Context, { id, name, scope, hash, createdAt, expiresAt }: StoredToken): void {
  if (context.sql('SELECT 1 FROM token WHERE id = ?').get(id) !== undefined)
    throw new PipelineError('store', `there is a token ${id} already: each token needs a new id`)
  const row = { id, name, scope, hash, created: createdAt, expires: expiresAt ?? null }
  context
    .sql('INSERT INTO token (id, name, scope, hash, created, expires, sum) VALUES (?, ?, ?, ?, ?, ?, ?)')
    .run(id, name, scope, hash, row.created, row.expires, sumOfToken(context, row))
}
