import { accessSync, constants } from 'node:fs'
import { isAbsolute } from 'node:path'
import { PipelineError } from '../../../base/errors/errors.js'
import { option } from '../../../base/errors/option-words.js'
import { isS3Address, parseS3Address, s3Parameters, type S3Address } from '../../media/s3/s3-address.js'
import { isShownParameter, shownAddress } from '../../../base/text/server-address.js'

/** The parts of the address of a store on PostgreSQL. */
export interface ServerAddress {
  /** The address without its password. */
  readonly shown: string
  /** The address as the driver takes it, with the password and without the parameters of the store. */
  readonly connection: string
  readonly schema: string
  /** The media location, which all machines share: an absolute path, or a bucket. */
  readonly media: string | S3Address
  /** The maximum number of connections of this process. */
  readonly connections: number
  /** The size of the answers that may wait in memory while the server is away, in bytes. */
  readonly mostWaitingBytes: number
}

const example = option('store', 'postgres://user@host/database?media=/shared/folder')
/** Parameters that the driver understands as libpq does. */
const driverParameters = new Set([
  ...['host', 'port', 'user', 'password', 'application_name'],
  ...['sslmode', 'sslcert', 'sslkey', 'sslrootcert'],
])
const ownParameters: readonly string[] = ['media', 'schema', 'connections', 'waiting_mb', ...s3Parameters]

/** Reads the address of a store on PostgreSQL. @throws PipelineError (usage) if a part is wrong or missing */
export function parseAddress(location: string): ServerAddress {
  const shownLocation = shownAddress(location)
  const refuse = (text: string): PipelineError => new PipelineError('usage', `${shownLocation}: ${text}`)
  let url: URL
  try {
    url = new URL(location)
  } catch {
    throw refuse(`this is not an address of a database. Write it like ${example}`)
  }
  const unknown = [...url.searchParams.keys()].find(
    name => !driverParameters.has(name) && !ownParameters.includes(name),
  )
  if (unknown !== undefined)
    throw refuse(
      `the parameter "${unknown}" is unknown. Those of the store are ${ownParameters.join(', ')}; those of the connection are ${[...driverParameters].filter(isShownParameter).join(', ')}`,
    )
  const schema = url.searchParams.get('schema') ?? 'pipeline'
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema) || schema.startsWith('pg_'))
    throw refuse(`"${schema}" can't be a schema: use small letters, digits and _, and begin with a letter`)
  const connections = Number(url.searchParams.get('connections') ?? 1)
  if (!Number.isInteger(connections) || connections < 1 || connections > 100)
    throw refuse('connections is the maximum number of connections of one process, from 1 to 100')
  const waitingMb = Number(url.searchParams.get('waiting_mb') ?? 64)
  if (!Number.isFinite(waitingMb) || waitingMb < 0)
    throw refuse(
      'waiting_mb is the size of the answers that wait in memory while the server is away, in MiB: 0 or more',
    )
  const media = readMedia(url.searchParams, refuse)
  checkTls(url.searchParams, refuse)
  for (const name of ownParameters) url.searchParams.delete(name)
  // Without this parameter, the driver gives sslmode another meaning than libpq.
  if (url.searchParams.has('sslmode')) url.searchParams.set('uselibpqcompat', 'true')
  return {
    shown: shownLocation,
    connection: url.href,
    schema,
    media,
    connections,
    mostWaitingBytes: waitingMb * 2 ** 20,
  }
}

const tlsModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full']

function checkTls(parameters: URLSearchParams, refuse: (text: string) => PipelineError): void {
  const mode = parameters.get('sslmode')
  if (mode !== null && !tlsModes.includes(mode))
    throw refuse(`"${mode}" is no sslmode. The modes are ${tlsModes.join(', ')}`)
  for (const name of ['sslrootcert', 'sslcert', 'sslkey']) {
    const path = parameters.get(name)
    if (path !== null && !isReadable(path)) throw refuse(`the file of ${name}, ${path}, cannot be read`)
  }
}

/** The driver reads the files itself. */
function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}

function readMedia(parameters: URLSearchParams, refuse: (text: string) => PipelineError): string | S3Address {
  const media = parameters.get('media') ?? ''
  if (media === '')
    throw refuse(
      `name the folder with the media, which all machines share, like ${example}, or a bucket like media=s3://bucket/prefix`,
    )
  if (isS3Address(media)) return parseS3Address(media, parameters, refuse)
  const foreign = s3Parameters.find(name => parameters.has(name))
  if (foreign !== undefined) throw refuse(`the parameter "${foreign}" belongs to media=s3://bucket/prefix`)
  if (!isAbsolute(media))
    throw refuse(`media=${media} must be an absolute path, which is the same on all machines, or s3://bucket/prefix`)
  return media
}
