/** Loads the viewer's data from its server. */
import type { RunMoved } from '../../present/page/data/index.js'
import { SourceError, type Source } from './source.js'

type Query = Readonly<
  Record<string, string | number | boolean | readonly string[] | Readonly<Record<string, string>> | undefined>
>

/** @param canChange whether the session may label answers and start runs */
export const httpSource = ({ canChange }: { readonly canChange: boolean }): Source => ({
  can: { label: canChange, start: canChange, showDocs: true, plan: true },
  runs: query => getJson('runs', { ...query }),
  run: name => getJson(`runs/${encodeURIComponent(name)}`),
  samples: (run, query, signal) => getJson(`runs/${encodeURIComponent(run)}/samples`, { ...query }, signal),
  histograms: (run, filter, signal) => getJson(`runs/${encodeURIComponent(run)}/histograms`, { ...filter }, signal),
  position: async (run, filter, task, index, signal) =>
    (
      await getJson<{ readonly offset: number | null }>(
        `runs/${encodeURIComponent(run)}/position`,
        { ...filter, at: `${task}/${index}` },
        signal,
      )
    ).offset,
  sample: (run, task, index) => getJson(`runs/${encodeURIComponent(run)}/samples/${task}/${index}`),
  docRuns: (run, task, index) => getJson(`runs/${encodeURIComponent(run)}/samples/${task}/${index}/runs`),
  docs: ({ runs, ...query }, signal) => getJson('docs', { ...query, run: runs }, signal),
  compare: (a, b) => getJson('compare', { a, b }),
  leaderboard: query => getJson('leaderboard', { ...query }),
  power: query => getJson('power', { ...query }),
  stability: (run, others) => getJson(`runs/${encodeURIComponent(run)}/stability`, { with: others }),
  calibration: run => getJson(`runs/${encodeURIComponent(run)}/calibration`),
  key: (run, key) => getJson(`runs/${encodeURIComponent(run)}/keys/${encodeURIComponent(key)}`),
  mediaUrl: ({ digest, isMissing }) => (isMissing === true ? undefined : `../view/media/${digest}`),
  thumbnailUrl: ({ digest, kind, isMissing }, width) =>
    isMissing === true || kind !== 'image' ? undefined : `../view/media/${digest}/thumbnail?width=${width}`,
  peaks: ({ digest }, count, signal) => getJson(`media/${digest}/peaks`, { n: count }, signal),
  frameTimes: async ({ medium, derive }, signal) =>
    (
      await getJson<{ readonly seconds: readonly number[] }>(
        `media/${medium.digest}/frames`,
        { derive: JSON.stringify(derive ?? {}) },
        signal,
      )
    ).seconds,
  frameUrl: ({ digest }, seconds, width) => `../view/media/${digest}/frames?at=${seconds}&width=${width}`,
  watch,
})

/** Reads `/view/PATH` of the server. @throws SourceError with the server's message */
export async function getJson<T>(path: string, query: Query = {}, signal?: AbortSignal): Promise<T> {
  return readResponse(
    await fetch(formatAddress(path, query), { headers: { accept: 'application/json' }, ...(signal && { signal }) }),
  )
}

/** Sends JSON to an address of the server, such as `/evaluate`. @throws SourceError with the server's message */
export async function postJson<T>(
  path: string,
  body: unknown,
  { method = 'POST', signal }: { readonly method?: 'POST' | 'DELETE'; readonly signal?: AbortSignal } = {},
): Promise<T> {
  return readResponse(
    await fetch(`..${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    }),
  )
}

async function readResponse<T>(response: Response): Promise<T> {
  if (response.ok) return (await response.json()) as T
  const said = (await response.json().catch(() => ({}))) as { readonly detail?: unknown }
  const { detail } = said
  const words = Array.isArray(detail) ? detail.join('\n') : typeof detail === 'string' ? detail : response.statusText
  throw new SourceError(words, response.status)
}

const isList = (value: object | string | number | boolean): value is readonly string[] => Array.isArray(value)

function formatAddress(path: string, query: Query): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    if (isList(value)) for (const element of value) parameters.append(name, element)
    else if (typeof value === 'object')
      for (const [field, label] of Object.entries(value)) parameters.append(name, `${field}=${label}`)
    else parameters.append(name, String(value))
  }
  const text = parameters.toString()
  return `../view/${path}${text === '' ? '' : `?${text}`}`
}

/**
 * Watches for changes. A browser allows few connections to one server over all tabs, and each stream needs one. A hidden page therefore closes its
 * stream, and reloads when it is visible again.
 */
function watch(moved: (runs: readonly string[] | undefined) => void): () => void {
  let events: EventSource | undefined
  const follow = (): void => {
    if (document.hidden) {
      events?.close()
      events = undefined
    } else if (events === undefined) {
      events = new EventSource('../view/events')
      events.addEventListener('runs', event => {
        moved((JSON.parse(event.data as string) as readonly RunMoved[]).map(({ name }) => name))
      })
      events.addEventListener('list', () => moved(undefined))
    }
  }
  const handleVisibility = (): void => {
    follow()
    if (!document.hidden) moved(undefined)
  }
  follow()
  document.addEventListener('visibilitychange', handleVisibility)
  return () => {
    document.removeEventListener('visibilitychange', handleVisibility)
    events?.close()
  }
}
