import { PipelineError } from '../../base/errors/errors.js'
import { canonicalJson, differences, type Json } from '../../base/values/canonical-json.js'
import { sha256 } from '../../cache/digest.js'
import { runKey } from '../../cache/keys.js'
import type { RunSpec } from '../../cache/records.js'
import type { Store } from '../../cache/store.js'
import type { EvalSettings } from './settings.js'

/** Numbers the spec if a new run is requested. With `resume`, checks that it still means that run. */
export async function withRepeat(asked: RunSpec, settings: EvalSettings, store: Store): Promise<RunSpec> {
  if (settings.resume !== undefined) return resumed(asked, settings.resume, store)
  if (!settings.newRun && !settings.fresh) return asked
  const fresh = settings.fresh ? { selection: { ...asked.selection, firstSample: await unusedSample(store) } } : {}
  for (let repeat = 1; ; repeat += 1) {
    const numbered = { ...asked, ...fresh, repeat }
    if (
      (await store.runs.find(runKey(numbered).key)) === undefined &&
      (await store.runs.find(runKey({ ...asked, repeat }).key)) === undefined
    )
      return numbered
  }
}

/**
 * Adds the digest of media files that changed since the first run with this spec, so that the same command over an edited picture means another run. With the old
 * bytes it means the first run again.
 */
export async function withPresentMedia(asked: RunSpec, store: Store): Promise<RunSpec> {
  const run = await store.runs.find(runKey(asked).key)
  const changed = run === undefined ? [] : await store.files.changed(run)
  if (changed.length === 0 || asked.media !== undefined) return asked
  return {
    ...asked,
    media: sha256<'media-files'>(canonicalJson(changed.map(({ path, digest }) => [path, digest ?? null]))),
  }
}

/** A sample index that no answer has, and that no resumed run will use. */
async function unusedSample(store: Store): Promise<number> {
  const runs = await store.runs.list()
  const next = runs.map(({ asked: { selection } }) => (selection.firstSample ?? 0) + 1)
  return Math.max(await store.requests.nextSample(), ...next)
}

async function resumed(asked: RunSpec, resume: NonNullable<EvalSettings['resume']>, store: Store): Promise<RunSpec> {
  const run = await store.runs.find(resume.id)
  const firstSample = run?.asked.selection.firstSample
  const again: RunSpec = {
    ...asked,
    ...(resume.repeat === undefined ? {} : { repeat: resume.repeat }),
    ...(firstSample === undefined ? {} : { selection: { ...asked.selection, firstSample } }),
    ...(run?.asked.media === undefined ? {} : { media: run.asked.media }),
  }
  if (runKey(again).key === resume.id) return again
  const changed = differences(run && preimageOf(run.asked), preimageOf(again))
  throw new PipelineError('usage', [
    ...[...new Set(changed.map(({ path }) => changeOf(path, again)))].slice(0, 5),
    `Run ${resume.name} can't be resumed. Run its command again to start a new run: valid answers are reused.`,
  ])
}

/** Says what changed, by the path where the run specs differ: `tasks[0].dataset.files.q.jsonl`. */
function changeOf(path: string, { tasks }: RunSpec): string {
  const [, index, part = ''] = /^tasks\[(\d+)\]\.?(.*)$/.exec(path) ?? []
  const task = tasks[Number(index)]?.name
  return `${subjectOf(path, part, task === undefined ? '' : ` of task ${task}`)} changed since the run began.`
}

function subjectOf(path: string, partOfTask: string, ofTask: string): string {
  const file = /^dataset\.files\.(.+)$/.exec(partOfTask)?.[1]
  if (file !== undefined) return `The data file ${file}`
  if (partOfTask.startsWith('dataset')) return `The dataset${ofTask} (${partOfTask})`
  if (partOfTask === 'identity') return `The YAML or the code${ofTask}`
  if (path === 'code' || path.startsWith('codes')) return 'The code that asks the model'
  if (path.startsWith('model')) return `The model (${path})`
  return `The setting ${path}`
}

const preimageOf = (asked: RunSpec): Json => JSON.parse(runKey(asked).preimage) as Json
