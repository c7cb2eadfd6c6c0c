import type { GetObjectCommand, HeadBucketCommand, S3Client, S3ClientConfig } from '@aws-sdk/client-s3'
import { messageOf, PipelineError, systemCode } from '../../../base/errors/errors.js'
import type { S3Address } from './s3-address.js'
import { showS3Address } from './s3-address.js'

export type S3Module = typeof import('@aws-sdk/client-s3')

/** A client of object storage with the SDK's classes of commands. */
export interface OpenedClient {
  readonly sdk: S3Module
  readonly client: S3Client
}

const connectionMs = 10_000
/** More calls at once are queued by the SDK. */
const mostSockets = 256
const nothing = (): void => undefined
/** The SDK would write its warnings to the standard output. */
const silent = { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing }
/** The region that servers other than Amazon's expect, if none is configured. */
const commonRegion = 'us-east-1'

/** Makes a client. Credentials, and settings that the address lacks, are found as the tools of AWS find them. */
export async function openClient(address: S3Address): Promise<OpenedClient> {
  const sdk = await loadSdk()
  const config: S3ClientConfig = {
    ...(address.endpoint !== undefined && { endpoint: address.endpoint }),
    ...(address.region !== undefined && { region: address.region }),
    // patience.ts does all retries. The SDK's retries stop after a number of failures in the whole process.
    maxAttempts: 1,
    // Other servers do not know the checksums that the SDK adds. Each read is hashed instead.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    logger: silent,
    requestHandler: {
      connectionTimeout: connectionMs,
      httpAgent: { keepAlive: true, maxSockets: mostSockets },
      httpsAgent: { keepAlive: true, maxSockets: mostSockets },
      logger: silent,
    },
  }
  const host = await findHost(sdk, config, address)
  const isAmazon = /\.amazonaws\.com(\.cn)?$/.test(host.name)
  const forcePathStyle = address.pathStyle ?? !isAmazon
  const region = host.isRegionMissing ? { region: commonRegion } : {}
  if (host.isRegionMissing && isAmazon)
    throw new PipelineError(
      'store',
      `the media at ${showS3Address(address)} are in an unknown region. Name it with region= in the address, or with AWS_REGION.`,
    )
  return { sdk, client: new sdk.S3Client({ ...config, ...region, forcePathStyle }) }
}

async function loadSdk(): Promise<S3Module> {
  try {
    return await import('@aws-sdk/client-s3')
  } catch (error) {
    if (systemCode(error) !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new PipelineError(
      'store',
      'media in object storage need the SDK of AWS, which is not installed. Install it where pipeline is installed: npm install @aws-sdk/client-s3@3',
      { reason: 'store-unsupported' },
    )
  }
}

interface FoundHost {
  readonly name: string
  readonly isRegionMissing: boolean
}

/** Finds the host of the requests, which may be configured by the environment or a profile. Nothing is sent. */
async function findHost(sdk: S3Module, config: S3ClientConfig, { bucket }: S3Address): Promise<FoundHost> {
  try {
    return { name: await readHost(sdk, config, bucket), isRegionMissing: false }
  } catch (error) {
    if (!/region is missing|region=""/i.test(messageOf(error))) throw error
    return { name: await readHost(sdk, { ...config, region: commonRegion }, bucket), isRegionMissing: true }
  }
}

async function readHost(sdk: S3Module, config: S3ClientConfig, bucket: string): Promise<string> {
  // The SDK would look for credentials. The first call reports it if there are none.
  const credentials = { accessKeyId: 'none', secretAccessKey: 'none' }
  const client = new sdk.S3Client({ ...config, credentials, forcePathStyle: true })
  const { hostname } = await readAddress(client, new sdk.HeadBucketCommand({ Bucket: bucket }))
  client.destroy()
  return hostname
}

/** Returns the address that a call goes to, without its query. Nothing is sent. */
export async function readAddress(client: S3Client, command: GetObjectCommand | HeadBucketCommand): Promise<URL> {
  let address: URL | undefined
  const middlewares = command.middlewareStack as Pick<S3Client['middlewareStack'], 'add'>
  middlewares.add(
    () =>
      ({ request }) => {
        const { protocol, hostname, port, path } = request as EndpointParts
        address = new URL(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`)
        return Promise.resolve({ response: {}, output: { $metadata: {} } })
      },
    { step: 'build', name: 'readAddress', priority: 'low' },
  )
  // The reply was made above for any command.
  await client.send(command as HeadBucketCommand)
  if (address === undefined) throw new Error('internal error: a call has no address')
  return address
}

interface EndpointParts {
  readonly protocol: string
  readonly hostname: string
  readonly port?: number
  readonly path: string
}
