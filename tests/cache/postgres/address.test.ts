import { expect, test } from 'vitest'
import { shownAddress } from '../../../base/text/server-address.js'
import { parseAddress } from '../../../cache/postgres/connection/address.js'

const media = '?media=/shared/media'

test('an address without parameters has the defaults', () => {
  expect(parseAddress(`postgres://ada@db.example:5433/evals${media}`)).toEqual({
    shown: 'postgres://ada@db.example:5433/evals?media=/shared/media',
    connection: 'postgres://ada@db.example:5433/evals',
    schema: 'pipeline',
    media: '/shared/media',
    connections: 1,
    mostWaitingBytes: 64 * 2 ** 20,
  })
})

test('passes the password to the driver and does not show it', () => {
  for (const location of [
    `postgres://ada:s3cret@db/evals${media}`,
    `postgresql://ada@db/evals${media}&password=s3cret`,
  ]) {
    const { shown, connection } = parseAddress(location)
    expect(connection).toContain('s3cret')
    expect(shown).not.toContain('s3cret')
    expect(shown).toContain('media=/shared/media')
    expect(parseAddress(shown)).toMatchObject({ shown, schema: 'pipeline' })
  }
})

test('hides a possible password in an address that cannot be parsed', () => {
  const location = 'postgres://ada:s3cret@db:port/evals?password=s3cret'
  expect(shownAddress(location)).toBe('postgres://db:port/evals')
  expect(() => parseAddress(location)).toThrow('postgres://db:port/evals: this is not an address of a database')
})

test.each(['pa/ss', '12/34', 'q^G$F#J', 'a?b', 'a@b', '%zz'])(
  'does not show a password %j that is not encoded',
  password => {
    const location = `postgres://ada:${password}@db/evals${media}`
    expect(shownAddress(location)).not.toContain(password)
    expect(() => parseAddress(`${location}&schema=Wrong`)).toThrow(/^(?!.*(pa\/ss|12\/34|q\^G|a\?b|a@b|%zz)).*$/)
  },
)

test('media in object storage have their own parameters', () => {
  const { connection, media: place } = parseAddress(
    'postgres://db/evals?media=s3://bucket/prefix?region=x&endpoint=http://minio:9000&schema=a',
  )
  expect(connection).toBe('postgres://db/evals')
  expect(place).toEqual({
    ...{ bucket: 'bucket', prefix: 'prefix/', region: 'x', endpoint: 'http://minio:9000', cacheBytes: 10e9 },
  })
})

test('TLS modes have the same meaning as in libpq', () => {
  const { connection } = parseAddress(`postgres://db/evals${media}&sslmode=require`)
  expect(connection).toBe('postgres://db/evals?sslmode=require&uselibpqcompat=true')
})

test.each([
  ['', 'name the folder with the media'],
  ['?media=s3://x/prefix', 'names no bucket'],
  [`${media}&region=eu-west-1`, 'the parameter "region" belongs to media=s3://bucket/prefix'],
  ['?media=media', 'media=media must be an absolute path'],
  [`${media}&schema=Ada`, '"Ada" can\'t be a schema'],
  [`${media}&schema=pg_catalog`, '"pg_catalog" can\'t be a schema'],
  [`${media}&waiting_mb=-1`, 'waiting_mb is the size of the answers that wait in memory'],
  [`${media}&connections=0`, 'connections is the maximum number of connections of one process'],
  [`${media}&shema=x`, 'the parameter "shema" is unknown'],
])('rejects the parameters %j', (parameters, message) => {
  expect(() => parseAddress(`postgres://db/evals${parameters}`)).toThrow(message)
})
