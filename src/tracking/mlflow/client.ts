/** Speaks MLflow's REST API. */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { Readable } from 'node:stream'
import { PipelineError } from '../../../base/errors/errors.js'
import { isObject } from '../../../base/values/canonical-json.js'
import { describeCause } from '../../../stages/input/datasets/hub/hub-fetch.js'
import type { Environment } from '../../config/settings.js'
import { variable } from '../../config/variables.js'

type Body = Readonly<Record<string, unknown>>

/** A refusal of the server, with MLflow's own code such as `RESOURCE_DOES_NOT_EXIST`. */
export class MlflowRefusal extends PipelineError {
  readonly status: number
  readonly refusedFor: string

  constructor(status: number, refusedFor: string, text: string) {
    super('usage', text)
    this.status = status
    this.refusedFor = refusedFor
  }
}

export interface MlflowClient {
  readonly get: (path: string, query: Readonly<Record<string, string>>) => Promise<Body>
  /** A repeatable request is sent again where no answer came. */
  readonly post: (path: string, body: Body, options?: { readonly isRepeatable?: boolean }) => Promise<Body>
  /** Uploads a file through the server's proxy of artifacts. */
  readonly upload: (path: string, file: string) => Promise<void>
}

/** The time that the server may take for one answer. An upload of a large file takes longer. */
const answerMs = 60_000
const uploadMs = 3_600_000
const waitsMs = [500, 2_000]

/** Makes a client of the server at an address without a slash at its end. */
export function openMlflow(base: string, env: Environment, signal: AbortSignal): MlflowClient {
  const authorization = readAuthorization(base, env)
  const { origin, pathname } = new URL(base)
  const root = `${origin}${pathname.replace(/\/+$/, '')}`

  async function ask(
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    { body, file, isRepeatable }: { readonly body?: string; readonly file?: string; readonly isRepeatable: boolean },
  ): Promise<Body> {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(file === undefined ? answerMs : uploadMs)])
    for (let attempt = 0; ; attempt++) {
      const wait = isRepeatable ? waitsMs[attempt] : undefined
      try {
        const answer = await fetch(`${root}${path}`, {
          method,
          headers: {
            ...(authorization !== undefined && { authorization }),
            ...(body !== undefined && { 'content-type': 'application/json' }),
            ...(file !== undefined && {
              'content-type': 'application/octet-stream',
              'content-length': String((await stat(file)).size),
            }),
          },
          ...(body !== undefined && { body }),
          // The file is read as it is sent, and is never in memory as a whole.
          ...(file !== undefined && { body: Readable.toWeb(createReadStream(file)), duplex: 'half' }),
          signal: limit,
        })
        const text = await answer.text()
        if (answer.ok) return parseBody(text)
        if (wait === undefined || (answer.status !== 429 && answer.status < 500))
          throw refusal(root, answer.status, text)
      } catch (error) {
        if (error instanceof PipelineError) throw error
        signal.throwIfAborted()
        if (wait === undefined) throw unreachable(root, error)
      }
      await sleep(wait, undefined, { signal })
    }
  }

  return {
    get: (path, query) =>
      ask('GET', `/api/2.0/mlflow/${path}?${new URLSearchParams(query).toString()}`, { isRepeatable: true }),
    post: (path, body, { isRepeatable = false } = {}) =>
      ask('POST', `/api/2.0/mlflow/${path}`, { body: JSON.stringify(body), isRepeatable }),
    async upload(path, file) {
      const address = path.split('/').map(encodeURIComponent).join('/')
      await ask('PUT', `/api/2.0/mlflow-artifacts/artifacts/${address}`, { file, isRepeatable: true })
    },
  }
}

function readAuthorization(base: string, env: Environment): string | undefined {
  const token = variable(env, 'MLFLOW_TRACKING_TOKEN')
  const { username, password } = new URL(base)
  const user = decodeURIComponent(username) || variable(env, 'MLFLOW_TRACKING_USERNAME')
  if (user !== undefined) {
    const secret = decodeURIComponent(password) || (variable(env, 'MLFLOW_TRACKING_PASSWORD') ?? '')
    return `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`
  }
  return token === undefined ? undefined : `Bearer ${token}`
}

function parseBody(text: string): Body {
  try {
    const parsed: unknown = text === '' ? {} : JSON.parse(text)
    return isObject(parsed) ? parsed : {}
  } catch {
    // The proxy of artifacts answers an upload with any text.
    return {}
  }
}

function refusal(server: string, status: number, text: string): MlflowRefusal {
  const { error_code: code, message } = parseBody(text)
  const refusedFor = typeof code === 'string' ? code : ''
  const serverText = typeof message === 'string' ? message : text.slice(0, 200)
  if (status === 401 || status === 403)
    return new MlflowRefusal(
      status,
      refusedFor,
      `${server} refused the user (${status}). Set MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD, or MLFLOW_TRACKING_TOKEN`,
    )
  if (status === 404 && refusedFor === '')
    return new MlflowRefusal(status, refusedFor, `${server} is no MLflow server (404): name the address of one`)
  return new MlflowRefusal(status, refusedFor, `${server} answered ${status}: ${serverText}`)
}

const unreachable = (server: string, error: unknown): PipelineError =>
  new PipelineError(
    'usage',
    `${server} can't be reached: ${describeCause(error)}. Start it with \`mlflow server\`, or name the address of one that runs`,
    { cause: error },
  )
