import { describe, expect, test } from 'vitest'
import { shownAddress } from '../../../../base/text/server-address.js'
import { parseS3Address, showS3Address } from '../../../../cache/media/s3/s3-address.js'

const parse = (media: string, parameters = '') =>
  parseS3Address(media, new URLSearchParams(parameters), text => new Error(text))

test.each([
  ['s3://evals', '', { bucket: 'evals', prefix: '' }],
  ['s3://evals/', '', { bucket: 'evals', prefix: '' }],
  ['s3://evals/team/media/', '', { bucket: 'evals', prefix: 'team/media/' }],
  ['s3://evals/m?region=eu-west-1', '', { prefix: 'm/', region: 'eu-west-1' }],
  ['s3://evals/m', 'endpoint=http://minio:9000', { endpoint: 'http://minio:9000' }],
  ['s3://evals/m?endpoint=http://minio:9000', 'region=x&path_style=false', { region: 'x', pathStyle: false }],
  ['s3://evals/m', 'media_cache_gb=0.5', { cacheBytes: 500_000_000 }],
])('reads %s with %j', (media, parameters, expected) => {
  expect(parse(media, parameters)).toMatchObject(expected)
})

test('an address is shown without its last slash', () => {
  expect(showS3Address(parse('s3://evals/team/'))).toBe('s3://evals/team')
  expect(showS3Address(parse('s3://evals'))).toBe('s3://evals')
})

test.each([
  ['s3://AKIA:s3cret@evals/m', '', 'takes no keys in the address'],
  ['s3:///m', '', 'names no bucket'],
  ['s3://evals/a//b', '', 'an empty part'],
  ['s3://evals/../b', '', '".."'],
  ['s3://evals/m?regoin=x', '', 'the parameter "regoin" of media=s3://… is unknown'],
  ['s3://evals/m', 'endpoint=minio:9000', 'endpoint must be the address of a server'],
  ['s3://evals/m', 'endpoint=http://AKIA:s3cret@minio', 'without keys'],
  ['s3://evals/m', 'region=a b', 'region must be a name'],
  ['s3://evals/m', 'path_style=yes', 'path_style must be true'],
  ['s3://evals/m', 'media_cache_gb=-1', 'media_cache_gb is the maximum size'],
])('rejects %s with %j', (media, parameters, message) => {
  expect(() => parse(media, parameters)).toThrow(message)
  expect(() => parse(media, parameters)).toThrow(/^(?!.*(s3cret|AKIA))/)
})

describe('addresses of stores', () => {
  test.each([
    'postgres://ada@db/evals?media=s3://AKIA:s3cret@evals/m',
    'postgres://ada@db/evals?media=s3://evals/m&secret_access_key=s3cret',
    'postgres://ada@db/evals?media=s3://evals/m?session_token=s3cret',
    'postgres://ada@db/evals?media=s3://evals/m&endpoint=http://AKIA:s3cret@minio:9000',
  ])('shows %s without the secret', location => {
    expect(shownAddress(location)).not.toMatch(/s3cret|AKIA/)
    expect(shownAddress(location)).toContain('evals/m')
  })

  test('shows an address without secrets unchanged', () => {
    const location = 'postgres://ada@db/evals?media=s3://evals/m?region=x&endpoint=http://minio:9000'
    expect(shownAddress(location)).toBe(location)
  })
})
