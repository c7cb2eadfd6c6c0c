/** Writes to repositories of the Hugging Face Hub. */
import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import { PipelineError, messageOf } from '../../../base/errors/errors.js'
import { option } from '../../../base/errors/option-words.js'
import type { Environment } from '../../config/settings.js'
import { variable } from '../../config/variables.js'
import { readHubEndpoint } from '../../evaluation/data-access.js'

/** Files for a repository, in one commit. */
export interface HubCommit {
  readonly repo: { readonly type: 'dataset' | 'model'; readonly name: string }
  readonly title: string
  /** By path in the repository: the path of a file here, or its content. */
  readonly files: ReadonlyMap<string, { readonly file: string } | { readonly text: string }>
  /** Opens a pull request in place of a commit on the main branch. @default false */
  readonly isPullRequest?: boolean
  /** Makes a repository that is missing. @default it must be there */
  readonly visibility?: 'public' | 'private'
}

/** The longest wait for one answer of the Hub, in milliseconds. */
const patienceMs = 300_000

/**
 * Commits files to a repository.
 *
 * @returns the page of the commit, or of the pull request
 * @throws PipelineError if there is no token, or if the Hub refuses
 */
export async function commitToHub(
  { repo, title, files, isPullRequest = false, visibility }: HubCommit,
  { env, signal }: { readonly env: Environment; readonly signal: AbortSignal },
): Promise<string> {
  const accessToken = variable(env, 'HF_TOKEN')
  const hubUrl = readHubEndpoint(env)
  if (accessToken === undefined)
    throw new PipelineError(
      'usage',
      `HF_TOKEN is not set: ${hubUrl} needs a token that may write to ${repo.name} (${hubUrl}/settings/tokens)`,
    )
  const { createRepo, uploadFiles } = await import('@huggingface/hub')
  const shared = { accessToken, hubUrl, fetch: makePatientFetch(signal) }
  const upload = () =>
    uploadFiles({
      ...shared,
      repo,
      commitTitle: title,
      isPullRequest,
      abortSignal: signal,
      files: [...files].map(([path, from]) => ({
        path,
        content: 'file' in from ? pathToFileURL(from.file) : new Blob([from.text]),
      })),
    })
  try {
    try {
      return describePlace(await upload(), repo, hubUrl)
    } catch (error) {
      if (visibility === undefined || readStatus(error) !== 404) throw error
      await createRepo({ ...shared, repo, visibility })
      return describePlace(await upload(), repo, hubUrl)
    }
  } catch (error) {
    throw new PipelineError('usage', describeRefusal(error, repo.name, hubUrl), { cause: error })
  }
}

/** Each request has a limit of its own, and ends with the command. */
const makePatientFetch =
  (signal: AbortSignal): typeof fetch =>
  (input, init) =>
    fetch(input, { ...init, signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]) })

function describePlace(
  output: { readonly commit?: { readonly url?: string }; readonly pullRequestUrl?: string } | undefined,
  { type, name }: HubCommit['repo'],
  hubUrl: string,
): string {
  return output?.pullRequestUrl ?? `${hubUrl}/${type === 'dataset' ? 'datasets/' : ''}${name}`
}

/** The status of an answer that the library threw; undefined if there was none. */
function readStatus(error: unknown): number | undefined {
  const { statusCode } = error instanceof Error && 'statusCode' in error ? error : { statusCode: undefined }
  return typeof statusCode === 'number' ? statusCode : undefined
}

function describeRefusal(error: unknown, name: string, hubUrl: string): string {
  const status = readStatus(error)
  if (status === undefined) return `${hubUrl} could not be reached: ${messageOf(error)}`
  if (status === 401 || status === 403)
    return `${hubUrl} refuses to write to ${name} (${status}): give a token in HF_TOKEN that may write there`
  if (status === 404) return `${hubUrl} has no repository ${name}, or HF_TOKEN may not see it`
  return `${hubUrl} answered with status ${status}: ${messageOf(error)}`
}

/** @throws PipelineError for a name that is not `owner/name` */
export function checkRepository(name: string, tracker: string): string {
  if (/^[\w.-]+\/[\w.-]+$/.test(name)) return name
  throw new PipelineError(
    'usage',
    `${option('track', tracker)}: "${name}" is no repository of the Hub. Name it as owner/${basename(name) || 'name'}`,
  )
}
