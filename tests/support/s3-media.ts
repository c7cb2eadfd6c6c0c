import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, onTestFinished, vi } from 'vitest'
import { digestOfFile } from '../../cache/file-pieces.js'
import type { MediaLocation } from '../../cache/media/media-location.js'
import type { BucketOptions } from '../../cache/media/s3/bucket.js'
import { parseS3Address } from '../../cache/media/s3/s3-address.js'
import { openS3Location } from '../../cache/media/s3/s3-location.js'
import type { MediaStore } from '../../cache/store.js'
import { fakeKeys, startFakeS3, type FakeS3 } from './fake-s3.js'
import { temporaryFolder } from './store.js'

/** The variables from which the SDK takes keys. Nothing else of this machine is looked at. */
export const s3Variables = {
  AWS_ACCESS_KEY_ID: fakeKeys.id,
  AWS_SECRET_ACCESS_KEY: fakeKeys.secret,
  AWS_CONFIG_FILE: '/nowhere',
  AWS_SHARED_CREDENTIALS_FILE: '/nowhere',
  AWS_EC2_METADATA_DISABLED: 'true',
  AWS_REGION: '',
  AWS_ENDPOINT_URL: '',
} as const

/** Starts a server for the tests of a file. It is emptied before each test. */
export function useFakeS3(): () => FakeS3 {
  let fake: FakeS3 | undefined
  const get = (): FakeS3 => {
    if (fake === undefined) throw new Error('the server is not started')
    return fake
  }
  beforeAll(async () => {
    fake = await startFakeS3()
    for (const [name, value] of Object.entries(s3Variables)) vi.stubEnv(name, value)
  })
  beforeEach(() => {
    const { objects, uploads, calls } = get()
    for (const kept of [objects, uploads]) kept.clear()
    calls.length = 0
    get().fault = () => undefined
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    await fake?.close()
  })
  return get
}

/** A handle on media in object storage, with a machine's folder. */
export interface S3Handle {
  readonly location: MediaLocation
  readonly media: MediaStore
  readonly cache: string
  /** What the handle tells while it waits. */
  readonly told: string[]
}

/** Opens the media of a server, as another process or machine does. Without an address, the environment names the server. */
export async function openS3Media(
  { url }: Pick<FakeS3, 'url'>,
  {
    media = 's3://evals/media',
    workFolder,
    cacheGb = 1,
    ...options
  }: Partial<BucketOptions> & {
    readonly media?: string
    readonly workFolder?: string
    readonly cacheGb?: number
  } = {},
): Promise<S3Handle> {
  const folder = workFolder ?? (await temporaryFolder())
  const parameters = new URLSearchParams({ ...(url !== '' && { endpoint: url }), media_cache_gb: String(cacheGb) })
  const address = parseS3Address(media, parameters, text => new Error(text))
  const told: string[] = []
  const location = await openS3Location(address, {
    workFolder: folder,
    waiting: { tell: line => void told.push(line), limitMs: 5_000 },
    ...options,
  })
  onTestFinished(() => location.close())
  return { location, media: location.open(digestOfFile), cache: join(folder, 'media-cache'), told }
}
