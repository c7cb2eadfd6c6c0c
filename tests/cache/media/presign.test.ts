import { expect, test } from 'vitest'
import { longestSeconds, presignAddress } from '../../../cache/media/s3/presign.js'

const key = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' }
const at = { key, region: 'us-east-1', now: Date.UTC(2013, 4, 24) }

test("signs an address as Amazon's documentation does", () => {
  const address = new URL('https://examplebucket.s3.amazonaws.com/test.txt')
  const signed = new URL(presignAddress({ address, seconds: 86_400 }, at))
  expect(signed.origin + signed.pathname).toBe(address.href)
  expect(Object.fromEntries(signed.searchParams)).toEqual({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': 'AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request',
    'X-Amz-Date': '20130524T000000Z',
    'X-Amz-Expires': '86400',
    'X-Amz-SignedHeaders': 'host',
    'X-Amz-Signature': 'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  })
})

test("a signed address expires within the servers' limit and names the media type", () => {
  const address = new URL('http://127.0.0.1:9000/evals/m/ab/cd')
  const signed = new URL(presignAddress({ address, seconds: 10 * longestSeconds, type: 'image/png' }, at))
  expect(signed.searchParams.get('X-Amz-Expires')).toBe('604800')
  expect(signed.searchParams.get('response-content-type')).toBe('image/png')
})

test('a temporary key sends its session token', () => {
  const address = new URL('https://b.example/x')
  const temporary = { ...at, key: { ...key, sessionToken: 'tok+en/=' } }
  const signed = new URL(presignAddress({ address, seconds: 60 }, temporary))
  expect(signed.searchParams.get('X-Amz-Security-Token')).toBe('tok+en/=')
})
