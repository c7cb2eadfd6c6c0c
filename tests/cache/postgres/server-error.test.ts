import { expect, test } from 'vitest'
import { isConflict, serverError } from '../../../cache/postgres/connection/server-error.js'

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
