/** Parses media locations in object storage: `media=s3://bucket/prefix` in the address of a store. */
export interface S3Address {
  readonly bucket: string
  /** The beginning of all keys: empty, or a path that ends with a slash. */
  readonly prefix: string
  /** The address of a server other than Amazon's. @default the SDK's configuration, or Amazon */
  readonly endpoint?: string
  /** The region. @default the SDK's configuration */
  readonly region?: string
  /** Whether the bucket is part of the path or of the host's name. Undefined: of the path, except at Amazon. */
  readonly pathStyle?: boolean
  /** The maximum size of the local cache. */
  readonly cacheBytes: number
}

/** The parameters that belong to media in object storage. */
export const s3Parameters = ['endpoint', 'region', 'path_style', 'media_cache_gb'] as const

const defaultCacheGb = 10

/** Tells whether a value of `media=` is an address of object storage. */
export const isS3Address = (media: string): boolean => /^s3:\/\//i.test(media)

/** Returns an address in object storage as people write it. */
export const showS3Address = ({ bucket, prefix }: Pick<S3Address, 'bucket' | 'prefix'>): string =>
  `s3://${bucket}/${prefix}`.replace(/\/$/, '')

/**
 * Reads `s3://bucket/prefix`. Its parameters may follow it, as in `s3://bucket/prefix?region=eu-west-1`, or be parameters of the store.
 *
 * @param outer the parameters of the store
 * @throws what `refuse` returns, if a part is wrong. The message has no part of the address that may be a secret.
 */
export function parseS3Address(media: string, outer: URLSearchParams, refuse: (text: string) => Error): S3Address {
  const [address = '', inner = ''] = media.split(/\?(.*)/s)
  const [, bucket = '', path = ''] = /^s3:\/\/([^/]*)\/?(.*)$/is.exec(address) ?? []
  if (bucket.includes('@') || bucket.includes(':'))
    throw refuse(
      'media=s3://… takes no keys in the address. Give them as the tools of AWS have them: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile in ~/.aws',
    )
  if (!/^[A-Za-z0-9][\w.-]{1,61}[A-Za-z0-9]$/.test(bucket))
    throw refuse(`media=s3://${bucket} names no bucket. Write it like media=s3://bucket/prefix`)
  const parts = path.replace(/\/+$/, '').split('/')
  if (path !== '' && parts.some(part => part === '' || part === '.' || part === '..'))
    throw refuse(`media=s3://${bucket}/${path} has an empty part, "." or ".." in its prefix`)
  const parameters = readParameters(new URLSearchParams(inner), outer, refuse)
  return { bucket, prefix: path === '' ? '' : `${parts.join('/')}/`, ...parameters }
}

function readParameters(
  inner: URLSearchParams,
  outer: URLSearchParams,
  refuse: (text: string) => Error,
): Omit<S3Address, 'bucket' | 'prefix'> {
  const unknown = [...inner.keys()].find(name => !s3Parameters.some(parameter => parameter === name))
  if (unknown !== undefined)
    throw refuse(`the parameter "${unknown}" of media=s3://… is unknown. Its parameters are ${s3Parameters.join(', ')}`)
  const read = (name: (typeof s3Parameters)[number]): string | undefined =>
    inner.get(name) ?? outer.get(name) ?? undefined
  const endpoint = read('endpoint')
  if (endpoint !== undefined && !isPlainServer(endpoint))
    throw refuse('endpoint must be the address of a server, like endpoint=https://minio.example:9000, without keys')
  const region = read('region')
  if (region !== undefined && !/^[\w-]+$/.test(region)) throw refuse('region must be a name like region=eu-west-1')
  const style = read('path_style')
  if (style !== undefined && style !== 'true' && style !== 'false')
    throw refuse('path_style must be true (the bucket is part of the path) or false (it is part of the host)')
  const cacheGb = Number(read('media_cache_gb') ?? defaultCacheGb)
  if (!(cacheGb >= 0 && cacheGb <= 1_000_000))
    throw refuse('media_cache_gb is the maximum size of the local cache of media, in gigabytes')
  return {
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
    ...(style !== undefined && { pathStyle: style === 'true' }),
    cacheBytes: Math.round(cacheGb * 1e9),
  }
}

function isPlainServer(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
}
