import { createHash, createHmac } from 'node:crypto'

/** A key of object storage, as the SDK finds it. */
export interface SigningKey {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
}

/** The longest time for which servers accept a signature, in seconds. */
export const longestSeconds = 7 * 24 * 3600

/**
 * Signs the address of an object, so that anybody with the address can read the object until it expires (AWS Signature Version 4, in the query).
 *
 * @param object.address without a query, with the path as it is encoded on the wire
 * @param object.type the media type with which the server is to answer
 * @param now milliseconds since 1970, by the server's clock
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
 */
export function presignAddress(
  object: { readonly address: URL; readonly type?: string; readonly seconds: number },
  { key, region, now }: { readonly key: SigningKey; readonly region: string; readonly now: number },
): string {
  const { address, type, seconds } = object
  const time = new Date(now).toISOString().replace(/[-:]|\.\d+/g, '')
  const scope = [time.slice(0, 8), region, 's3', 'aws4_request']
  const parameters = {
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': [key.accessKeyId, ...scope].join('/'),
    'X-Amz-Date': time,
    'X-Amz-Expires': String(Math.min(seconds, longestSeconds)),
    ...(key.sessionToken !== undefined && { 'X-Amz-Security-Token': key.sessionToken }),
    'X-Amz-SignedHeaders': 'host',
    ...(type !== undefined && { 'response-content-type': type }),
  }
  const query = Object.entries(parameters)
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&')
  const request = ['GET', address.pathname, query, `host:${address.host}`, '', 'host', 'UNSIGNED-PAYLOAD'].join('\n')
  const digest = createHash('sha256').update(request).digest('hex')
  const signing = scope.reduce<Buffer | string>((last, part) => hmac(last, part), `AWS4${key.secretAccessKey}`)
  const signature = hmac(signing, ['AWS4-HMAC-SHA256', time, scope.join('/'), digest].join('\n')).toString('hex')
  return `${address.origin}${address.pathname}?${query}&X-Amz-Signature=${signature}`
}

const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** Encodes as the signature wants it: all but letters, digits and `-._~`. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, sign => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
