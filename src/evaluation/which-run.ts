import { PipelineError } from '../../base/errors/errors.js'
import { canonicalJson, differences, type Json } from '../../base/values/canonical-json.js'
import { sha256 } from '../../cache/digest.js'
import { runKey } from '../../cache/keys.js'
import type { RunSpec } from '../../cache/records.js'
import type { Store } from '../../cache/store.js'
import type { EvalSettings } from '../config/settings.js'

/** Numbers the spec if a new run is requested. With `resume`, checks that the spec still matches the run. */
export async function withRepeat(spec: RunSpec, settings: EvalSettings, store: Store): Promise<RunSpec> {
  if (settings.resume !== undefined) return resumeSpec(spec, settings.resume, store)
  if (settings.begun !== undefined) return addRunIdentity(settings.begun, spec)
  if (!settings.newRun && !settings.fresh) return spec
  const fresh = settings.fresh ? { selection: { ...spec.selection, firstSample: await unusedSample(store) } } : {}
  for (let repeat = 1; ; repeat += 1) {
    const numbered = { ...spec, ...fresh, repeat }
    if (
      (await store.runs.find(runKey(numbered).key)) === undefined &&
      (await store.runs.find(runKey({ ...spec, repeat }).key)) === undefined
    )
      return numbered
  }
}

/**
 * Adds the digest of media files that changed since the first run with this spec. The same command with an edited picture is then another run. With
 * the old bytes, it is the first run again.
 */
export async function withPresentMedia(spec: RunSpec, store: Store): Promise<RunSpec> {
  const run = await store.runs.find(runKey(spec).key)
  const changed = run === undefined ? [] : await store.files.changed(run)
  if (changed.length === 0 || spec.media !== undefined) return spec
  return {
    ...spec,
    media: sha256<'media-files'>(canonicalJson(changed.map(({ path, digest }) => [path, digest ?? null]))),
  }
}

/** Computes a sample index that no stored answer has and no resumed run will use. */
async function unusedSample(store: Store): Promise<number> {
  const runs = await store.runs.list()
  const next = runs.map(({ asked: { selection } }) => (selection.firstSample ?? 0) + 1)
  return Math.max(await store.requests.nextSample(), ...next)
}

async function resumeSpec(spec: RunSpec, resume: NonNullable<EvalSettings['resume']>, store: Store): Promise<RunSpec> {
  const run = await store.runs.find(resume.id)
  const again = addRunIdentity(
    { ...run?.asked, ...(resume.repeat === undefined ? {} : { repeat: resume.repeat }) },
    spec,
  )
  if (runKey(again).key === resume.id) return again
  const changes = run === undefined ? [] : describeChanges(run.asked, again)
  throw new PipelineError(
    'usage',
    [
      ...changes.slice(0, 5),
      `Run ${resume.name} can't be resumed. Run its command again to start a new run: valid answers are reused.`,
    ],
    // Another machine may have the model as it was, such as its files or the variable with its address.
    changes.length > 0 && changes.every(change => change.startsWith('The model (')) ? { reason: 'model-changed' } : {},
  )
}

/** Adds the parts of a run's identity that no setting names: repeat number, first sample and edited media. */
export function addRunIdentity(
  { repeat, selection: { firstSample } = {}, media }: Partial<Pick<RunSpec, 'repeat' | 'selection' | 'media'>>,
  spec: RunSpec,
): RunSpec {
  return {
    ...spec,
    ...(repeat === undefined ? {} : { repeat }),
    ...(firstSample === undefined ? {} : { selection: { ...spec.selection, firstSample } }),
    ...(media === undefined ? {} : { media }),
  }
}

/** Describes the differences of two specs, one sentence each. The list is empty if both are the same run. */
export const describeChanges = (before: RunSpec, again: RunSpec): readonly string[] => [
  ...new Set(
    differences(computePreimage(before), computePreimage(again)).map(({ path }) => describeChange(path, again)),
  ),
]

/** Describes a change by its path in the run spec, such as `tasks[0].dataset.files.q.jsonl`. */
function describeChange(path: string, { tasks }: RunSpec): string {
  const [, index, part = ''] = /^tasks\[(\d+)\]\.?(.*)$/.exec(path) ?? []
  const task = tasks[Number(index)]?.name
  return `${describeSubject(path, part, task === undefined ? '' : ` of task ${task}`)} changed since the run began.`
}

function describeSubject(path: string, partOfTask: string, ofTask: string): string {
  const file = /^dataset\.files\.(.+)$/.exec(partOfTask)?.[1]
  if (file !== undefined) return `The data file ${file}`
  if (partOfTask.startsWith('dataset')) return `The dataset${ofTask} (${partOfTask})`
  if (partOfTask === 'identity') return `The YAML or the code${ofTask}`
  if (path === 'code' || path.startsWith('codes')) return 'The code that asks the model'
  if (path.startsWith('model')) return `The model (${path})`
  return `The setting ${path}`
}

const computePreimage = (spec: RunSpec): Json => JSON.parse(runKey(spec).preimage) as Json
