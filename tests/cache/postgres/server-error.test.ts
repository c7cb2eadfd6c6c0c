import { expect, test } from 'vitest'
import { isConflict, isOutage, serverError } from '../../../cache/postgres/connection/server-error.js'
import { isUnwritable } from '../../../cache/waiting-answers/unwritable.js'

const failed = (code: string, message = 'refused'): Error => Object.assign(new Error(message), { code })

test.each(['40001', '40P01', '55P03'])('retries a transaction after a conflict with another: %s', code => {
  expect([0, 49, 50].map(before => isConflict(failed(code), before))).toEqual([true, true, false])
})

test('retries twice after a missing row, which a garbage collection may have removed', () => {
  expect([0, 1, 2].map(before => isConflict(failed('23503'), before))).toEqual([true, true, false])
})

test.each(['22003', '22021', '22P05', '23502', '23505', '23514', '42601', '42P01', '42883', '42501'])(
  'does not retry a permanent error: %s',
  code => {
    expect(isConflict(failed(code), 0)).toBe(false)
    expect(serverError('postgres://h/d', failed(code)).message).toMatch(
      /^the store postgres:\/\/h\/d .+(\.|\(42\w+\)|cache verify)$/,
    )
  },
)

test('keeps the values of a row out of the message and its cause', () => {
  const error = Object.assign(failed('23503', 'insert on table "lease" violates a foreign key'), {
    detail: 'Key (request)=(secret prompt) is not present',
  })
  const said = serverError('postgres://h/d', error)
  expect(said.message).toBe(
    'the store postgres://h/d refused a row that does not fit the others (insert on table "lease" violates a foreign key). Find what is damaged: pipeline cache verify',
  )
  expect(JSON.stringify(said.cause)).not.toContain('secret')
})

test('reports a missing password plainly', () => {
  const error = new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string')
  expect(serverError('postgres://ada@h/d', error).message).toBe(
    'the store postgres://ada@h/d wants a password of this user. Give it as libpq has it, in PGPASSWORD or in ~/.pgpass.',
  )
})

// The codes of https://www.postgresql.org/docs/current/errcodes-appendix.html after which the same write may succeed.
test.each([
  ...[
    ['53100', 'store-full'],
    ['53200', 'store-failing'],
    ['53400', 'store-failing'],
    ['58030', 'store-failing'],
  ],
  ...[
    ['58P01', 'store-failing'],
    ['54000', 'store-failing'],
    ['57014', 'store-failing'],
    ['25006', 'store-read-only'],
  ],
  ...[
    ['42501', 'store-failing'],
    ['28P01', 'store-failing'],
    ['28000', 'store-failing'],
  ],
])('an answer that meets %s is kept in a file: %s', (code, reason) => {
  const error = serverError('postgres://h/d', failed(code))
  expect(error).toMatchObject({ reason })
  expect(isUnwritable(error)).toBe(true)
})

test.each([
  '57P01',
  '57P02',
  '57P03',
  '57P05',
  '53300',
  '25P03',
  '08000',
  '08003',
  '08006',
  '08001',
  'ECONNRESET',
  'ETIMEDOUT',
])('a server that cannot be reached is waited for: %s', code => expect(isOutage(failed(code))).toBe(true))

test.each(['22021', '22P05', '23503', '23505', '42P01', '42703', '3D000'])(
  'an answer that can never be stored is not kept: %s',
  code => expect(isUnwritable(serverError('postgres://h/d', failed(code)))).toBe(false),
)
